#!/usr/bin/env python3
"""Trains a small language model on text files, byte by byte, and exports it for
generate-text, with a cache of keys and values as its state.

  train.py FILE .. -o MODEL.pt2 [--steps N]

Needs PyTorch 2.15. It takes some five minutes on one core.
"""

import argparse
import pathlib

import torch
import torch.nn as nn
import torch.nn.functional as F

# Bytes from 128 on are read as '?'.
VALUES, LENGTH, WIDTH, LAYERS, HEADS = 128, 96, 64, 2, 4


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(HEADS, LENGTH, WIDTH // HEADS))

    def heads(self, x):
        """Queries, keys and values: [.., heads, rows, width of a head]."""
        parts = self.qkv(self.norms[0](x)).chunk(3, -1)
        return [part.unflatten(-1, (HEADS, -1)).transpose(-3, -2) for part in parts]

    def rest(self, x, attended):
        x = x + self.out(attended.transpose(-3, -2).flatten(-2))
        return x + self.down(F.gelu(self.up(self.norms[1](x))))

    def forward(self, x):
        """Whole texts, to train: [batch, rows, width]."""
        return self.rest(x, F.scaled_dot_product_attention(*self.heads(x), is_causal=True))

    def step(self, x, position):
        """One row, which goes into the cache at its position."""
        query, key, value = self.heads(x)
        self.keys.index_copy_(1, position, key)
        self.values.index_copy_(1, position, value)
        mask = torch.arange(LENGTH) <= position
        return self.rest(x, F.scaled_dot_product_attention(
            query, self.keys, self.values, mask[None]))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bytes = nn.Embedding(VALUES, WIDTH)
        self.positions = nn.Embedding(LENGTH, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        for table in (self.bytes, self.positions):
            nn.init.normal_(table.weight, std=0.05)

    def scores(self, x):
        return F.linear(self.norm(x), self.bytes.weight)

    def train_on(self, text):
        x = self.bytes(text) + self.positions.weight[:text.shape[-1]]
        for layer in self.layers:
            x = layer(x)
        return self.scores(x)

    def forward(self, byte, position):
        """Scores of the byte behind `byte`, which is at `position`: both i64[1]."""
        x = self.bytes(byte) + self.positions(position)
        for layer in self.layers:
            x = layer.step(x, position)
        return self.scores(x)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("--steps", type=int, default=4000)
    options = parser.parse_args()
    torch.manual_seed(0)
    data = b"\n".join(file.read_bytes() for file in options.files)
    data = torch.tensor([byte if byte < VALUES else ord("?") for byte in data])
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, options.steps)
    for step in range(options.steps):
        starts = torch.randint(0, len(data) - LENGTH - 1, (16,))
        rows = torch.stack([data[start:start + LENGTH + 1] for start in starts])
        loss = F.cross_entropy(model.train_on(rows[:, :-1]).flatten(0, 1),
                               rows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 200 == 0:
            print(f"step {step}: {loss.item():.3f}", flush=True)
    program = torch.export.export(model.eval(), (torch.tensor([0]), torch.tensor([0])))
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)  # It names this machine's folders.
    torch.export.save(program, options.output)


if __name__ == "__main__":
    main()
