"""German, French, Spanish, Italian and Portuguese names in tables and printed lines."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.readers._european_names import in_english
from tests.readers.named_logs import check_log


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Verlust", "loss"),
        ("Trainingsverlust", "train loss"),
        ("Val-Verlust", "Val-loss"),
        ("perte_val", "val_loss"),
        ("perte d'entraînement", "train loss"),
        ("pérdida de validación", "val loss"),
        (unicodedata.normalize("NFD", "pérdida"), "loss"),
        ("taux d'apprentissage", "lr"),
        ("Validierungsgenauigkeit", "val accuracy"),
        ("taux_apprentissage", "lr"),
        ("tasa_aprendizaje", "lr"),
        ("précision_validation", "val_precision"),
        ("précision", "precision"),
        ("precision@5", "precision@5"),
        ("doğruluk", "accuracy"),
        ("Validation loss", "Validation loss"),
        ("Verlustfunktion", "Verlustfunktion"),  # a setting
        ("Energieverlust", "Energieverlust"),
        ("en_pas", "en_pas"),
    ],
)
def test_names(name: str, said: str) -> None:
    assert in_english(name) == said


@pytest.mark.parametrize(
    ("name", "header", "row"),
    [
        ("log.csv", "Schritt,Verlust,Validierungsverlust,Lernrate\n", "{s},{t},{v},0.001\n"),
        ("log.csv", "étape,perte,perte_val,taux d'apprentissage\n", "{s},{t},{v},0.001\n"),
        ("log.csv", "Paso,Pérdida,Pérdida_val,tasa_de_aprendizaje\n", "{s},{t},{v},0.001\n"),
        ("train.log", "", "Schritt {s}: Verlust {t}, Val-Verlust {v}, Lernrate 0.001\n"),
        ("train.log", "", "Étape {s} - perte : {t} - perte de validation : {v} - lr : 0.001\n"),
        ("train.log", "", "Paso {s}: pérdida = {t}, pérdida de validación = {v}, lr = 0.001\n"),
        ("train.log", "", "Passo 1; iteração {s}: perda {t}; perda de validação {v}; lr 0.001\n"),
    ],
)
def test_a_log_in_another_language(tmp_path: Path, name: str, header: str, row: str) -> None:
    check_log(tmp_path / name, header, row)


@pytest.mark.parametrize(
    "line",
    [
        "der Verlust an Genauigkeit betrug im Mittel 0.5 Prozent",
        "Schritt 3 von 5: Daten laden, 0.5 s",
        "la perte de temps était de 0.5 s",
        "paso 3: cargar 0.5 GB de datos",
        "Verlustfunktion: 0.5",
    ],
)
def test_prose_is_no_record(tmp_path: Path, line: str) -> None:
    (tmp_path / "train.log").write_text(f"{line}\n" * 5, encoding="utf-8")
    with pytest.raises(InputError):
        load_runs(tmp_path / "train.log")
