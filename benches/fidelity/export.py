"""Writes a GGUF model as score.c reads it: python export.py MODEL.gguf OUT POSITIONS (needs `gguf` and `numpy`)."""
import struct
import sys

import numpy as np
from gguf import GGUFReader, quants

source, out, positions = sys.argv[1], sys.argv[2], int(sys.argv[3])
reader = GGUFReader(source)
tensors = {t.name: t for t in reader.tensors}
architecture = reader.fields["general.architecture"].contents()
gemma = architecture == "gemma3"


def field(name):
    return reader.fields[f"{architecture}.{name}"].contents()


def weights(name):
    t = tensors[name]
    return quants.dequantize(t.data, t.tensor_type).astype(np.float32).reshape([int(s) for s in reversed(t.shape)])


def linear(file, w):
    """A scale for each row, then the rows in 10 bits and a sign."""
    scale = np.maximum(np.abs(w).max(axis=1), 1e-20) / 1023
    file.write(scale.astype(np.float32).tobytes())
    file.write(np.rint(w / scale[:, None]).astype(np.int16).tobytes())


layers, dim, heads, kv_heads, feed = (
    int(field(f)) for f in ("block_count", "embedding_length", "attention.head_count", "attention.head_count_kv", "feed_forward_length")
)
width = int(field("attention.key_length")) if gemma else dim // heads
vocabulary = int(tensors["token_embd.weight"].shape[1])
before = ["attn_norm"] + (["attn_q_norm", "attn_k_norm", "post_attention_norm", "post_ffw_norm"] if gemma else []) + ["ffn_norm"]
with open(out, "wb") as file:
    file.write(struct.pack("<9i2f", int(gemma), layers, dim, heads, kv_heads, width, feed, vocabulary, positions,
                           field("attention.layer_norm_rms_epsilon"), field("rope.freq_base")))
    linear(file, weights("token_embd.weight"))
    file.write(weights("output_norm.weight").tobytes())
    for n in range(layers):
        block = f"blk.{n}."
        for name in before:
            file.write(weights(f"{block}{name}.weight").tobytes())
        linear(file, np.concatenate([weights(f"{block}attn_{x}.weight") for x in "qkv"]))
        linear(file, weights(f"{block}attn_output.weight"))
        linear(file, np.concatenate([weights(f"{block}ffn_{x}.weight") for x in ("gate", "up")]))
        linear(file, weights(f"{block}ffn_down.weight"))
