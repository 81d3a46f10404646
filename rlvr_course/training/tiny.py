"""A policy of 50,400 parameters: Llama's architecture, one token for each character.

It is small enough to be trained by reward within seconds on one core, and large enough to hold
one skill. A completion's tokens are its characters and an end token, so nothing about it is
hidden in a tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlvr_course.errors import DataError
from rlvr_course.policies.protocol import Request
from rlvr_course.records import Completion
from rlvr_course.training.requirements import require_training
from rlvr_course.training.torch_state import quiet_libraries, seeded

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

ALPHABET = "0123456789+-*=?, .:[]{}()\\/\nabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'"
SPECIAL = ("<pad>", "<bos>", "<eos>", "<unk>")
PAD, BOS, EOS = 0, 1, 2
HIDDEN, LAYERS, HEADS, INNER = 48, 2, 4, 96
N_PARAMETERS = 50_400
CONTEXT_TOKENS = 64
BATCH = 512

# A prompt is its question as it stands, and an answer ends the turn: the same text as without a
# template, so that chat messages and plain prompts train alike.
CHAT_TEMPLATE = (
    "{% for m in messages %}{{ m['content'] }}"
    "{% if m['role'] == 'assistant' %}{{ eos_token }}{% endif %}{% endfor %}"
)


def character_tokenizer() -> PreTrainedTokenizerFast:
    """The tokenizer of every tiny policy; made from ``ALPHABET``, nothing is read or fetched.

    Raises:
        TrainingUnavailable: the extra ``train`` is missing.
    """
    require_training()
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {token: number for number, token in enumerate((*SPECIAL, *ALPHABET))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    pad, bos, eos, unk = SPECIAL
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=pad,
        bos_token=bos,
        eos_token=eos,
        unk_token=unk,
        padding_side="left",
        clean_up_tokenization_spaces=False,
        chat_template=CHAT_TEMPLATE,
    )


def new_model(seed: int = 0) -> LlamaForCausalLM:
    """A model with random weights, the same for the same seed.

    Raises:
        TrainingUnavailable: the extra ``train`` is missing.
    """
    require_training()
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(SPECIAL) + len(ALPHABET),
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        intermediate_size=INNER,
        max_position_embeddings=CONTEXT_TOKENS,
        pad_token_id=PAD,
        bos_token_id=BOS,
        eos_token_id=EOS,
        tie_word_embeddings=True,
    )
    with seeded(seed):
        model = LlamaForCausalLM(config)
    _set_ends(model)
    return model


def save_model(model: Any, folder: str | Path) -> None:
    """Write the weights (``model.safetensors``, about 200 KB) and the configuration."""
    with quiet_libraries():
        model.save_pretrained(folder)


def load_model(folder: str | Path) -> LlamaForCausalLM:
    """Read what ``save_model`` wrote; nothing is fetched.

    Raises:
        TrainingUnavailable: the extra ``train`` is missing.
        DataError: the folder holds no readable model.
    """
    require_training()
    from transformers import LlamaForCausalLM

    try:
        with quiet_libraries():
            model = LlamaForCausalLM.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # whatever transformers and safetensors raise on a bad file
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{folder} holds no readable model ({reason}): make it again") from None
    _set_ends(model)
    return model


def _set_ends(model: Any) -> None:
    model.generation_config.pad_token_id = PAD
    model.generation_config.eos_token_id = EOS
    model.eval()


class TinyPolicy:
    """A tiny model as a policy: the content of the messages is its prompt.

    Args:
        model: a tiny model, or any that ``character_tokenizer`` fits.
        policy_id: what a log should say answered.
        max_tokens: longest completion where a request names none, the end included.
        seed: of sampling; the same requests get the same completions.

    Limits: characters outside ``ALPHABET`` are one unknown token; prompt and completion together
        may have ``CONTEXT_TOKENS`` characters.
    """

    def __init__(self, model: Any, policy_id: str, *, max_tokens: int = 16, seed: int = 0) -> None:
        self.model, self._policy_id = model, policy_id
        self._max_tokens, self._seed = max_tokens, seed
        self._tokenizer = character_tokenizer()

    @property
    def policy_id(self) -> str:
        """As given."""
        return self._policy_id

    def __repr__(self) -> str:
        return f"TinyPolicy({self._policy_id!r})"

    def generate(self, requests: Sequence[Request]) -> list[list[Completion]]:
        """One group for each request; one batch for all that share temperature and length."""
        groups: list[list[Completion]] = [[] for _ in requests]
        batches: dict[tuple[float, int], list[tuple[int, int]]] = {}
        for place, request in enumerate(requests):
            key = (request.temperature, request.max_tokens or self._max_tokens)
            batches.setdefault(key, []).extend((place, index) for index in range(request.n))
        seed = next((r.seed for r in requests if r.seed is not None), self._seed)
        with evaluating(self.model), seeded(seed):
            for (temperature, max_tokens), slots in batches.items():
                for start in range(0, len(slots), BATCH):
                    part = slots[start : start + BATCH]
                    prompts = [_prompt(requests[place]) for place, _ in part]
                    drawn = self._sample(prompts, temperature, max_tokens)
                    for (place, index), (text, ids) in zip(part, drawn, strict=True):
                        groups[place].append(
                            self._completion(requests[place], index, text, ids, seed)
                        )
        return groups

    def _completion(
        self, request: Request, index: int, text: str, ids: list[int], seed: int
    ) -> Completion:
        return Completion(
            text=text,
            messages=request.messages,
            finish_reason="stop" if EOS in ids else "length",
            token_ids=ids,
            policy_id=self._policy_id,
            index=index,
            seed=seed,
        )

    def _sample(
        self, prompts: list[str], temperature: float, max_tokens: int
    ) -> Iterator[tuple[str, list[int]]]:
        import torch

        encoded = self._tokenizer(
            prompts, return_tensors="pt", padding=True, add_special_tokens=False
        )
        how: dict[str, Any] = {"do_sample": False}
        if temperature > 0:
            how = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        with torch.no_grad():
            drawn = self.model.generate(
                input_ids=encoded["input_ids"],
                attention_mask=encoded["attention_mask"],
                max_new_tokens=max_tokens,
                **how,
            )
        for row in drawn[:, encoded["input_ids"].shape[1] :].tolist():
            ids = row[: row.index(EOS) + 1] if EOS in row else row
            yield str(self._tokenizer.decode(ids, skip_special_tokens=True)), ids


def _prompt(request: Request) -> str:
    return "".join(message["content"] for message in request.messages)


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """Put the model in evaluation mode, and back where it was."""
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)
