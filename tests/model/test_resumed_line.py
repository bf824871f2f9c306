"""Which printed lines tell of a run that goes on, and which only name the setting."""

from __future__ import annotations

import pytest

from spikedoc.model.resumed_line import says_resumed


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("2026-11-02 08:10:00 INFO Resuming from checkpoint out/step_3000.pt", True),
        ("Resumed training from iteration 500", True),
        ("  Continuing training from global step 2000", True),
        ("Restored all states from the checkpoint at last.ckpt", True),
        ("resume_from_checkpoint: None", False),
        ("resuming_from=None", False),
        ("to resume, start from the last checkpoint", False),
        ("Loading weights from checkpoint", False),
        ("=> loaded checkpoint 'ckpt/model_best.pth.tar' (epoch 5)", True),
        ("Loaded checkpoint ckpt/step_5000.pt (step 5000)", True),
        ("Loading latest checkpoint from out/", True),
        ("Restored from ./tf_ckpts/ckpt-10", True),
        ("Restored model from out/ckpt-10", True),
        ("Continue training from epoch 5", True),
        ("Resume training from out/last.pt", True),
        ("Resuming training at step 500", True),
        ("optimizer.load_state_dict done: step 5000", True),
        ("    model.load_state_dict(torch.load(path))", False),
        ("Error(s) in load_state_dict for ResNet", False),
        ("INFO:tensorflow:Restoring parameters from /tmp/model.ckpt-500", False),  # to evaluate it
        ("Restoring model weights from the end of the best epoch: 5.", False),
        ("Loaded checkpoint of the best epoch for testing", False),
        ("=> loading pretrained checkpoint vit_b16.pth", False),
        ("Loading checkpoint shards: 100%|##########| 4/4", False),
        ("=> no checkpoint found at 'ckpt.pt', continue training from scratch", False),
        ("saved checkpoint to out/step_500.pt", False),
    ],
)
def test_lines(line: str, told: bool) -> None:
    assert says_resumed(line) is told
