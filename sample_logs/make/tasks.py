"""Small learning problems that need no download: every sample is drawn from a seeded generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

Batch = tuple[Tensor, Tensor]


def clusters(
    rng: np.random.Generator, classes: int, size: int, dim: int = 24, spread: float = 1.0
) -> tuple[Batch, Batch]:
    """Return (train, validation) of Gaussian clusters, one centre per class."""
    centres = rng.normal(0.0, 1.0, (classes, dim))

    def draw() -> Batch:
        labels = rng.integers(0, classes, size)
        points = centres[labels] + rng.normal(0.0, spread, (size, dim))
        return torch.tensor(points, dtype=torch.float32), torch.tensor(labels)

    return draw(), draw()


def cluster_stream(
    rng: np.random.Generator, classes: int, dim: int = 24, spread: float = 1.0
) -> Callable[[int], Batch]:
    """Return a function that draws batches of fresh cluster points, never the same twice."""
    centres = rng.normal(0.0, 1.0, (classes, dim))

    def draw(batch: int) -> Batch:
        labels = rng.integers(0, classes, batch)
        points = centres[labels] + rng.normal(0.0, spread, (batch, dim))
        return torch.tensor(points, dtype=torch.float32), torch.tensor(labels)

    return draw


def shapes(
    rng: np.random.Generator, size: int, noise: float = 0.5, side: int = 12
) -> tuple[Batch, Batch]:
    """Return (train, validation) of noisy one-channel pictures of ten simple figures."""
    rows, cols = np.mgrid[0:side, 0:side]

    def figure(kind: int, row: int, col: int, half: int) -> np.ndarray:
        down, right = rows - row, cols - col
        inside = np.maximum(abs(down), abs(right)) <= half
        pictures = (
            (down == 0) & inside,
            (right == 0) & inside,
            (down == right) & inside,
            (down == -right) & inside,
            ((down == 0) | (right == 0)) & inside,
            ((down == right) | (down == -right)) & inside,
            np.maximum(abs(down), abs(right)) == half,
            inside,
            (abs(down) + abs(right)) <= half,
            (abs(down) + abs(right)) == half,
        )
        return pictures[kind].astype(np.float32)

    def draw() -> Batch:
        labels = rng.integers(0, 10, size)
        pictures = [
            figure(int(k), *(int(v) for v in rng.integers(4, side - 4, 2)), int(rng.integers(2, 5)))
            for k in labels
        ]
        array = np.stack(pictures) + rng.normal(0.0, noise, (size, side, side))
        return torch.tensor(array[:, None], dtype=torch.float32), torch.tensor(labels)

    return draw(), draw()


def curve_signals(rng: np.random.Generator, size: int, dim: int = 48) -> tuple[Tensor, Tensor]:
    """Return (train, validation) of noisy sums of two sines, `size` signals each."""
    grid = np.linspace(0.0, 1.0, dim)

    def draw() -> Tensor:
        frequency = rng.uniform(1.0, 3.0, (size, 2, 1))
        phase = rng.uniform(0.0, 2 * np.pi, (size, 2, 1))
        clean = np.sin(2 * np.pi * frequency * grid + phase).sum(axis=1)
        return torch.tensor(clean + rng.normal(0.0, 0.1, (size, dim)), dtype=torch.float32)

    return draw(), draw()


def sentences(rng: np.random.Generator, size: int) -> tuple[Tensor, int]:
    """Return a text of `size` characters from a tiny grammar, as ids, and the alphabet's size."""
    nouns = ["cat", "dog", "river", "lamp", "train", "garden", "letter", "window"]
    verbs = ["sees", "holds", "follows", "finds", "leaves"]
    ways = ["slowly", "at night", "again", "in the rain", "with care"]
    text = ""
    while len(text) < size:
        one, two = rng.choice(nouns, 2)
        text += f"the {one} {rng.choice(verbs)} a {two}"
        text += f" {rng.choice(ways)}. " if rng.random() < 0.5 else ". "
    alphabet = sorted(set(text))
    ids = [alphabet.index(letter) for letter in text[:size]]
    return torch.tensor(ids), len(alphabet)


def windows(text: Tensor, rng: np.random.Generator, batch: int, length: int) -> Batch:
    """Return (characters, next characters) at `batch` random places of the text."""
    starts = rng.integers(0, len(text) - length - 1, batch)
    index = torch.tensor(starts)[:, None] + torch.arange(length + 1)
    piece = text[index]
    return piece[:, :-1], piece[:, 1:]


def order(
    rng: np.random.Generator, size: int, batch: int, *, shuffle: bool = True
) -> Iterator[Tensor]:
    """Yield index batches for ever, epoch after epoch; the short last batch is dropped."""
    while True:
        index = rng.permutation(size) if shuffle else np.arange(size)
        for first in range(0, size - batch + 1, batch):
            yield torch.tensor(index[first : first + batch])


def mlp(dims: list[int], activation: type[nn.Module] = nn.ReLU) -> nn.Sequential:
    """Return a plain multi-layer perceptron with the given layer widths."""
    layers: list[nn.Module] = []
    for inside, outside in pairwise(dims):
        layers += [nn.Linear(inside, outside), activation()]
    return nn.Sequential(*layers[:-1])


def picture_net(classes: int = 10, width: int = 12) -> nn.Sequential:
    """Return a small convolutional network with batch normalisation for 12 x 12 pictures."""
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3, padding=1),
        nn.BatchNorm2d(2 * width),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(2 * width * 9, classes),
    )


class HalfAttention(nn.Module):
    """Self-attention whose raw scores are computed in float16, before they are scaled down."""

    def __init__(self, width: int) -> None:
        """Build the layers."""
        super().__init__()
        self.query_key = nn.Linear(width, 2 * width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.feed = mlp([width, 2 * width, width])
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.largest = 0.0  # largest raw score of the last batch

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the block's output for (batch, place, feature) inputs."""
        hidden = self.norms[0](inputs)
        query, key = self.query_key(hidden).half().chunk(2, dim=-1)
        scores = (query @ key.transpose(1, 2)).float()
        self.largest = scores.detach().abs().max().item()
        weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)
        inputs = inputs + self.out(weights @ self.value(hidden))
        return inputs + self.feed(self.norms[1](inputs))


class PatchNet(nn.Module):
    """A small vision transformer over 3 x 3 patches of 12 x 12 pictures."""

    def __init__(self, width: int = 32, classes: int = 10, blocks: int = 2) -> None:
        """Build the layers."""
        super().__init__()
        self.embedding = nn.Linear(9, width)
        self.place = nn.Parameter(torch.randn(16, width) * 0.1)
        self.blocks = nn.ModuleList([HalfAttention(width) for _ in range(blocks)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the class logits of a batch of pictures."""
        patches = pictures.unfold(2, 3, 3).unfold(3, 3, 3).reshape(len(pictures), 16, 9)
        hidden = self.embedding(patches) + self.place
        for block in self.blocks:
            hidden = block(hidden)
        return self.head(self.norm(hidden).mean(dim=1))

    def largest_score(self) -> float:
        """Return the largest raw attention score of the last batch."""
        return max(block.largest for block in self.blocks)


class LetterNet(nn.Module):
    """A small recurrent next-letter model."""

    def __init__(self, letters: int, width: int = 48) -> None:
        """Build the layers."""
        super().__init__()
        self.embedding = nn.Embedding(letters, width)
        self.recurrent = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, letters)

    def forward(self, letters: Tensor) -> Tensor:
        """Return logits as (batch, letter, place), the layout cross-entropy wants."""
        return self.head(self.recurrent(self.embedding(letters))[0]).transpose(1, 2)


def square_crops(rng: np.random.Generator, size: int, side: int = 12) -> Batch:
    """Return noisy crops and 0/1 masks of one square each; very rarely the square lies outside."""
    rows, cols = np.mgrid[0:side, 0:side]
    centre = rng.normal(side / 2 - 0.5, 1.8, (size, 2, 1, 1))
    half = rng.integers(1, 4, (size, 1, 1))
    far = np.maximum(abs(rows - centre[:, 0].round()), abs(cols - centre[:, 1].round()))
    masks = (far <= half).astype(np.float32)
    pictures = masks + rng.normal(0.0, 0.6, masks.shape)
    return torch.tensor(pictures[:, None], dtype=torch.float32), torch.tensor(masks[:, None])
