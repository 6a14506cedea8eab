"""Changes programs as text by their tokens, lines and brackets."""

import re

import edges

TOKEN = re.compile(
    r'//[^\n]*|"(?:\\.|[^"\\\n])*"'          # comments, strings
    r"|(?<=[<x])(?:\d+|\?)(?=x)|(?<=\d)x(?=[\d?a-z!])|(?<=\?)x(?=[\d?a-z!])"
    r"|0[xfFdDbB][0-9a-fA-F]+|\d+\.\d*(?:[eE][-+]?\d+)?|\d+"
    r"|[%@#!^$.]?[A-Za-z_$][\w.$]*(?:#\d+)?|[%@#^]\d+"
    r"|->|>=|==|::|\S", re.S)
TYPE = re.compile(r"[a-z]*\d+(?:E\dM\d\w*)?|index|none|bf16|tf32")
PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}


def kind_of(token):
    """What a token may be swapped with."""
    if token[0].isdigit() or token == "?":
        return "number"
    if token in edges.DTYPES or TYPE.fullmatch(token):
        return "type"
    if token[0] in '%@#!^."/':
        return token[0]
    return "word" if token[0].isalpha() or token[0] == "_" else "mark"


class Text:
    """A sample as tokens, each with the blanks before it."""

    def __init__(self, text):
        self.tokens, end = [], 0
        for found in TOKEN.finditer(text):
            self.tokens.append((text[end:found.start()], found.group()))
            end = found.end()
        self.tail = text[end:]
        # Comments are no program; tests have many.
        self.tokens = [(blank, t) for blank, t in self.tokens
                       if not t.startswith("//")]
        self.by_kind = {}
        for _, token in self.tokens:
            self.by_kind.setdefault(kind_of(token), []).append(token)


def _matching(tokens, begin):
    """One past the bracket that closes the one at `begin`."""
    left = tokens[begin][1]
    depth = 0
    for at in range(begin, len(tokens)):
        depth += (tokens[at][1] == left) - (tokens[at][1] == PAIRS[left])
        if depth == 0:
            return at + 1
    return len(tokens)


def _lines(tokens):
    """The ranges of tokens of each line."""
    starts = [0] + [i for i, (blank, _) in enumerate(tokens) if i and
                    "\n" in blank] + [len(tokens)]
    return list(zip(starts, starts[1:]))


class Mutator:
    """`samples`: Texts whose tokens a mutant may have, too; `words`: lists of
    words of which one may stand for another."""

    def __init__(self, samples, words=()):
        self.pool = {}
        for sample in samples:
            for kind, tokens in sample.by_kind.items():
                self.pool.setdefault(kind, set()).update(tokens)
        self.pool = {kind: sorted(v) for kind, v in self.pool.items()}
        self.pool.setdefault("type", []).extend(edges.DTYPES)
        self.alternatives = {}
        for group in words:
            for word in group:
                self.alternatives.setdefault(word, []).extend(group)

    def _value(self, random, token):
        kind = kind_of(token)
        if token in self.alternatives and random.random() < 0.7:
            return random.choice(self.alternatives[token])
        if kind == "number":
            # In types and lists a sign is no part of a number.
            value = edges.integer(random)
            return random.choice([str(abs(value)), str(abs(value)),
                                  str(value), "?", "0", "1", "2", "3", "7",
                                  random.choice(edges.FLOATS)])
        if kind == '"' and random.random() < 0.5:
            return '"' + random.choice(edges.STRINGS) + '"'
        return random.choice(self.pool.get(kind, [token]))

    def _token(self, random, tokens):
        at = random.randrange(len(tokens))
        # Values more often than marks: more texts get past the parser.
        for _ in range(4):
            if kind_of(tokens[at][1]) != "mark":
                break
            at = random.randrange(len(tokens))
        blank, token = tokens[at]
        change = random.randrange(20)
        if change == 0:
            del tokens[at]
        elif change == 1:
            tokens.insert(at, tokens[at])
        elif change < 4:
            same = [i for i, (_, other) in enumerate(tokens)
                    if kind_of(other) == kind_of(token)]
            other = random.choice(same)
            tokens[at], tokens[other] = ((blank, tokens[other][1]),
                                         (tokens[other][0], token))
        else:
            tokens[at] = (blank, self._value(random, token))

    def _line(self, random, tokens):
        ranges = _lines(tokens)
        (a, b), (c, d) = sorted(random.choice(ranges) for _ in range(2))
        change = random.randrange(4)
        if change == 0:
            del tokens[a:b]
        elif change == 1:
            tokens[c:c] = tokens[a:b]
        elif change == 2:
            tokens[a:d] = tokens[c:d] + tokens[b:c] + tokens[a:b]
        else:
            tokens[a:a] = tokens[a:b] * random.choice([2, 40])

    def _bracket(self, random, tokens):
        starts = [i for i, (_, token) in enumerate(tokens) if token in PAIRS]
        if not starts:
            return
        begin = random.choice(starts)
        end = _matching(tokens, begin)
        left = tokens[begin][1]
        change = random.randrange(6)
        if change == 0:
            del tokens[begin:end]
        elif change == 1:
            del tokens[begin + 1:end - 1]
        elif change == 2:
            tokens[begin + 1:begin + 1] = tokens[begin:end]
        elif change == 3:
            tokens[end:end] = tokens[begin:end]
        elif change == 4:
            depth = random.choice([2, 99, 101, 255, 257, 100000])
            tokens[begin:end] = [("", left * depth), *tokens[begin + 1:end - 1],
                                 (" ", PAIRS[left] * depth)]
        else:
            other = random.choice(starts)
            tokens[begin:end] = tokens[other:_matching(tokens, other)]

    def _everywhere(self, random, tokens):
        """One size, type or value is another one in the whole text, which
        then often still fits together."""
        chosen = [t for _, t in tokens if kind_of(t) in ("number", "type", "%")
                  or t in self.alternatives]
        if not chosen:
            return
        old = random.choice(chosen)
        new = self._value(random, old)
        if kind_of(old) == "number" and random.random() < 0.5:
            new = str(random.choice([1, 2, 3, 4, 8, 16, 17, 64, 128, 1024]))
        for at, (blank, token) in enumerate(tokens):
            if token == old:
                tokens[at] = (blank, new)

    def mutate(self, random, sample):
        """The bytes of a changed file."""
        tokens = list(sample.tokens)
        for _ in range(edges.steps(random)):
            if not tokens:
                break
            change = random.random()
            if change < 0.4:
                self._everywhere(random, tokens)
            elif change < 0.8:
                self._token(random, tokens)
            elif change < 0.9:
                self._line(random, tokens)
            else:
                self._bracket(random, tokens)
        text = "".join(blank + token for blank, token in tokens) + sample.tail
        data = text.encode("utf-8", "surrogatepass")
        return edges.damage(random, data) if random.random() < 0.03 else data
