# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of tokens and others whose tensors have shapes of their own: attention, rotary
embeddings, top-k, contractions. What a family has is in _ops_families.py."""
from __future__ import annotations

from typing import Dict, Optional, Tuple

from ._ops_arrays import Tensor, broadcast, packed
from ._ops_shapes import (EPILOGUE, Options, Problem, Settings, Tensors, collapsed, divided, number,
                          with_stages)
from .errors import UsageError

# ---- caches -------------------------------------------------------------------------------------

#: Numbers of keys and pages.
INDICES = ("key_lengths", "table")


def check_cache(name: str, tensors: Tensors, k: Tensor, v: Tensor, batch: int) -> None:
    """Keys and values of each sequence, or pages of them where there is a table."""
    lengths, table = tensors["key_lengths"], tensors.get("table")
    for t, wanted in ((lengths, "[%d]" % batch),) + (((table, "[%d, pages]" % batch),) if table else ()):
        rank = 1 if t is lengths else 2
        if len(t.shape) != rank or t.shape[0] != batch:
            raise UsageError("%s: argument '%s': expected the shape %s, a number for each sequence, "
                             "found %s" % (name, t.name, wanted, tuple(t.shape)))
    for t in (k, v):
        if len(t.shape) != 4 or tuple(t.shape[:3]) != tuple(k.shape[:3]) or (
                table is None and t.shape[0] != batch):
            raise UsageError("%s: argument '%s': expected [%s, heads, %s, size], as 'k', found the "
                             "shape %s" % (name, t.name, "pages" if table else str(batch),
                                           "keys of a page" if table else "keys", tuple(t.shape)))


def cache_settings(tensors: Tensors, k: Tensor) -> Settings:
    table = tensors.get("table")
    if table is None:
        return [("cache", "whole"), ("keys", str(k.shape[2]))]
    page = max(k.shape[2], 1)
    return [("cache", "paged"), ("page", str(page)), ("pages", str(k.shape[0])),
            ("keys", str(table.shape[1] * page))]


class Append:
    """Results are the caches, which stay what they are but for new tokens."""

    name = "append"
    sizes = ("batch", "heads", "kv_heads", "seq", "new", "keys", "strides", "layout", "page", "pages",
             "angles")

    def elem(self, name: str, options: Options) -> Optional[str]:
        if name in INDICES:
            return "i32"
        return options.get("type_angle" if name in ("cos", "sin") else "type")

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        out = {n: tuple(tensors["new_" + n].shape) for n in ("k", "v")}
        return {**out, **({"turned": tuple(tensors["q"].shape)} if "q" in tensors else {})}

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        k, v, new, more = (tensors[n] for n in ("k", "v", "new_k", "new_v"))
        for t, like, cache in ((new, new, k), (more, new, v)):
            if len(t.shape) != 4 or tuple(t.shape[:3]) != tuple(like.shape[:3]) or (
                    t.shape[1], t.shape[3]) != (cache.shape[1], cache.shape[-1]):
                raise UsageError("append: argument '%s': expected [batch, heads, tokens, size] with "
                                 "the heads and size of '%s', found the shape %s" % (
                                     t.name, cache.name, tuple(t.shape)))
        check_cache("append", tensors, k, v, new.shape[0])
        batch, heads, count, size = new.shape
        settings: Settings = [
            ("type", k.elem), ("head", str(size)), ("head_v", str(v.shape[-1])),
            ("batch", str(batch)), ("kv_heads", str(heads)), ("new", str(count))]
        if "cos" in tensors:
            angles = tensors["cos"]
            settings += [("type_angle", angles.elem), ("rotary", str(2 * angles.shape[-1])),
                         ("angles", str(angles.shape[0]))]
        if "q" in tensors:
            q = tensors["q"]
            settings += [("queries", "yes"), ("heads", str(q.shape[1])), ("seq", str(q.shape[2]))]
        strides = ["%s:%s" % (n, "x".join(map(str, t.strides))) for n, t in tensors.items()
                   if len(t.shape) == 4]
        return settings + cache_settings(tensors, k) + [("strides", "+".join(strides))], tensors


# ---- attention ----------------------------------------------------------------------------------


class Attention:
    """Tensors of [batch, heads, tokens, size], or without batch; strides are kept."""

    name = "attention"
    results: Tuple[str, ...] = ("o",)
    sizes = ("batch", "heads", "kv_heads", "seq", "keys", "strides", "layout", "page", "pages")

    def elem(self, name: str, options: Options) -> Optional[str]:
        if name in ("slopes", "sinks", "lse", "row_scale"):
            return "f32"
        if name.startswith(EPILOGUE):
            return None
        if name in INDICES:
            return "i32"
        key = {"o": "type_o", "bias": "type_bias"}.get(name, "type")
        return options.get(key)

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        q, v = tuple(tensors["q"].shape), tuple(tensors["v"].shape)
        self._check(tensors)
        out = {"o": q[:-1] + v[-1:]}
        if options.get("lse") == "yes":
            out["lse"] = q[:-1]
        if "quantise:row" in options.get("epilogue", ""):
            out["row_scale"] = q[:-1]
        return out

    def _check(self, tensors):
        q, k, v = tensors["q"], tensors["k"], tensors["v"]
        if "key_lengths" in tensors:
            check_cache(self.name, tensors, k, v, q.shape[0])
            if len(q.shape) == 4 and q.shape[-1] == k.shape[-1]:
                return
        for t in (q, k, v):
            if len(t.shape) != len(q.shape) or len(t.shape) not in (3, 4):
                raise UsageError("attention: argument '%s': expected [batch, heads, tokens, size] "
                                 "or [heads, tokens, size], as all of q, k and v, found the shape "
                                 "%s" % (t.name, tuple(t.shape)))
        for t, wanted in ((k, tuple(q.shape[:-3]) + tuple(k.shape[-3:-1]) + (q.shape[-1],)),
                          (v, tuple(q.shape[:-3]) + tuple(k.shape[-3:-1]) + (v.shape[-1],))):
            if tuple(t.shape) != wanted:
                raise UsageError("attention: argument '%s': expected the shape %s, found %s" % (
                    t.name, wanted, tuple(t.shape)))

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        """No queries and keys, but elements: their number is part of the form."""
        out = {n: t._replace(shape=tuple(t.shape[:-2]) + (0,) + tuple(t.shape[-1:]),
                             strides=(1,) * len(t.shape))
               for n, t in tensors.items() if n in ("q", "k", "v")}
        if "table" in tensors:  # as many sequences as pages
            out["q"] = out["q"]._replace(shape=tuple(out["k"].shape[:1]) + tuple(out["q"].shape[1:]))
        return out

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        self._check(tensors)
        stages, tensors = divided(tensors)
        q, k, v = tensors["q"], tensors["k"], tensors["v"]
        out = {n: self._four(t) for n, t in tensors.items()}
        batch, heads, seq, size = out["q"].shape
        kv_heads, keys = out["k"].shape[1:3]
        settings: Settings = [
            ("type", q.elem), ("head", str(size)), ("head_v", str(v.shape[-1])),
            ("batch", str(batch)), ("heads", str(heads)), ("kv_heads", str(max(kv_heads, 1))),
            ("seq", str(seq)), ("keys", str(keys))]
        for t in (k, v):
            if t.elem != q.elem:
                raise UsageError("attention: argument '%s': expected elements of %s, as 'q', found "
                                 "%s" % (t.name, q.elem, t.elem))
        if "key_lengths" in out:
            settings = [s for s in settings if s[0] != "keys"] + cache_settings(out, k)
        if "o" in out:
            settings.append(("type_o", out["o"].elem))
        if "bias" in out:
            keys = int(dict(settings)["keys"])
            out["bias"] = broadcast(out["bias"], (batch, heads, seq, keys))
            settings += [("bias", "yes"), ("type_bias", out["bias"].elem)]
        for name, flag in (("slopes", "alibi"), ("sinks", "sinks")):
            if name in out:
                settings.append((flag, "yes"))
        if "slopes" in out:
            out["slopes"] = broadcast(tensors["slopes"], (batch, heads))
        if self._by_key(out["v"]):
            settings.append(("v", "column"))
        strides = ["%s:%s" % (n, "x".join(map(str, self._steps(t)))) for n, t in out.items()
                   if n not in ("sinks",) + INDICES]
        shape = tuple(q.shape[:-1]) + tuple(v.shape[-1:])
        stages = {n: self._stage(t, shape) for n, t in stages.items()}
        return with_stages((settings + [("strides", "+".join(strides))], out), stages)

    def _stage(self, t, shape):
        """A tensor of the epilogue, with batches where there are none."""
        of_queries = tuple(shape[:-3]) + (shape[-2],)
        if tuple(t.shape) not in (shape, of_queries, (shape[-3], shape[-1]), (), (1,)):
            raise UsageError("attention: argument '%s': expected the shape %s, %s (m), %s (n) or one "
                             "number (tensor), found %s" % (
                                 t.name, shape, of_queries, (shape[-3], shape[-1]), tuple(t.shape)))
        if len(shape) == 3 and len(t.shape) in (1, 3):
            t = t._replace(shape=(1,) + tuple(t.shape), strides=(1,) + tuple(t.strides))
        return t._replace(strides=self._steps(t)) if len(t.shape) == 4 else t

    def _four(self, t):
        rank = 3 if t.name in ("lse", "row_scale") else 4
        if t.name in ("slopes", "sinks") + INDICES or len(t.shape) >= rank:
            return t
        return t._replace(shape=(1,) + tuple(t.shape), strides=(1,) + tuple(t.strides))

    def _by_key(self, v):
        return v.strides[3] != 1 and v.shape[3] > 1 and v.strides[2] == 1

    def _steps(self, t):
        """Dimensions of size 1 are never stepped over: any number will do that is large enough."""
        steps = list(t.strides)
        if len(steps) == 4 and not self._by_key(t):
            steps[3] = 1 if t.shape[3] <= 1 else steps[3]
        if t.name in ("o", "lse", "row_scale") + self.results:
            run = 1
            for d in reversed(range(len(steps))):
                if t.shape[d] == 1:
                    steps[d] = run
                run = max(run, steps[d] * max(t.shape[d], 1))
        return steps


class AttentionBackward(Attention):
    """Gradients of q, k and v, and of a bias for all queries and keys; lse lies without gaps."""

    name = "attention_backward"
    results = ("dq", "dk", "dv", "dbias")

    def elem(self, name: str, options: Options) -> Optional[str]:
        if name in ("lse", "slopes"):
            return "f32"
        return options.get("type_bias" if name in ("bias", "dbias") else "type")

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        self._check(tensors)
        out = {"d" + n: tuple(tensors[n].shape) for n in "qkv"}
        if options.get("dbias") == "yes":
            out["dbias"] = tuple(tensors["q"].shape[:-1]) + (tensors["k"].shape[-2],)
        return out

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        """As of attention, but for the logarithms, which have no elements."""
        out = {n: t for n, t in super().blank(tensors).items()}
        for n in ("o", "do"):
            out[n] = tensors[n]._replace(
                shape=tuple(tensors[n].shape[:-2]) + (0,) + tuple(tensors[n].shape[-1:]),
                strides=(1,) * len(tensors[n].shape))
        if "bias" in tensors:
            out["bias"] = tensors["bias"]._replace(shape=(0, 0), strides=(1, 1))
        return out

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        self._check(tensors)
        q, v = tensors["q"], tensors["v"]
        out = {n: self._four(t) for n, t in tensors.items()}
        batch, heads, seq, size = out["q"].shape
        keys = out["k"].shape[2]
        settings: Settings = [
            ("type", q.elem), ("head", str(size)), ("head_v", str(v.shape[-1])),
            ("batch", str(batch)), ("heads", str(heads)),
            ("kv_heads", str(max(out["k"].shape[1], 1))), ("seq", str(seq)), ("keys", str(keys))]
        if "bias" in out:
            out["bias"] = broadcast(out["bias"], (batch, heads, seq, keys))
            settings += [("bias", "yes"), ("type_bias", out["bias"].elem)]
        if "slopes" in out:
            out["slopes"] = broadcast(tensors["slopes"], (batch, heads))
            settings.append(("alibi", "yes"))
        strides = ["%s:%s" % (n, "x".join(map(str, self._steps(t)))) for n, t in out.items()
                   if n != "lse"]
        return settings + [("strides", "+".join(strides))], out


class TopK:
    """Along the last dimension; those before it are rows."""

    name = "topk"
    sizes = ("rows", "columns", "ldx", "ldy")

    def elem(self, name, options):
        return "i32" if name == "index" else options.get("type")

    def shapes(self, tensors, options):
        x = tensors["x"]
        if not x.shape:
            raise UsageError("topk: argument 'x': expected a dimension or more, found a number")
        shape = tuple(x.shape[:-1]) + (number(options, "k"),)
        return {"y": shape, "index": shape}

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        """No rows, but columns: at least k are needed."""
        return {n: t._replace(shape=(0,) + tuple(t.shape[-1:]), strides=(1, 1))
                for n, t in tensors.items()}

    def problem(self, tensors, options):
        out = dict(tensors)
        settings: Settings = [("type", tensors["x"].elem)]
        for name, ld in (("x", "ldx"), ("y", "ldy"), ("index", "ldy")):
            t = tensors.get(name)
            if t is None:
                continue
            out[name], step = _rows(t)
            if name == "x":
                settings += [("rows", str(out[name].shape[0])), ("columns", str(t.shape[-1]))]
            if out[name].shape[0] > 1 and name != "index":
                settings.append((ld, str(step)))
        return settings, out


def _rows(t: Tensor) -> Tuple[Tensor, int]:
    """The tensor as [rows, columns], and from row to row."""
    flat, step = collapsed(t, tuple(t.shape[:-1]), 1)
    if step is None:
        return t._replace(shape=(1, t.shape[-1]), strides=(t.shape[-1], t.strides[-1])), t.shape[-1]
    return flat, step


class Rotary:
    name = "rotary"
    sizes = ("batch", "heads", "seq", "layout")

    def elem(self, name, options):
        return options.get("type_angle" if name in ("cos", "sin") else "type")

    def shapes(self, tensors, options):
        return {"y": tuple(tensors["x"].shape)}

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        out = {}
        for n, t in tensors.items():
            shape = tuple(t.shape[:-2]) + (0,) + tuple(t.shape[-1:])
            out[n] = t._replace(shape=shape, strides=packed(shape))
        return out

    def problem(self, tensors, options):
        x, cosine = tensors["x"], tensors["cos"]
        if len(x.shape) not in (3, 4):
            raise UsageError("rotary: argument 'x': expected [batch, heads, tokens, size] or "
                             "[heads, tokens, size], found the shape %s" % (tuple(x.shape),))
        shape = (1,) * (4 - len(x.shape)) + tuple(x.shape)
        batch, heads, seq, head = shape
        out = dict(tensors)
        for name in ("x", "y"):
            if name in out and len(out[name].shape) == 3:
                out[name] = out[name]._replace(shape=(1,) + tuple(out[name].shape),
                                               strides=(1,) + tuple(out[name].strides))
        by_token = heads > 1 and seq > 1 and out["x"].strides[1] == head
        return [("type", x.elem), ("type_angle", cosine.elem), ("batch", str(batch)),
                ("heads", str(heads)), ("seq", str(seq)), ("head", str(head)),
                ("size", str(2 * cosine.shape[-1])),
                ("layout", "bshd" if by_token else "bhsd")], out


# ---- contractions -------------------------------------------------------------------------------


class Contraction:
    name = "contraction"
    sizes = ("shape", "strides")

    def elem(self, name, options):
        if name in ("a", "b"):
            return options.get("type")
        return options.get("type_c") if name == "c" else None

    def _letters(self, options):
        dims = options["dims"].replace("*", " ").replace("->", " ").split(" ")
        return dims if len(dims) == 3 else [options["dims"], "", ""]

    def _sizes(self, tensors, options):
        sizes: Dict[str, int] = {}
        for name, letters in zip("ab", self._letters(options)):
            t = tensors[name]
            if len(letters) != len(t.shape):
                raise UsageError("contraction: argument '%s': expected %d dimensions, %s, found "
                                 "the shape %s" % (name, len(letters), letters, tuple(t.shape)))
            for letter, size in zip(letters, t.shape):
                if sizes.setdefault(letter, size) != size:
                    raise UsageError("contraction: argument '%s': expected %s of size %d, found %d"
                                     % (name, letter, sizes[letter], size))
        return sizes

    def shapes(self, tensors, options):
        sizes = self._sizes(tensors, options)
        return {"c": tuple(sizes.get(letter, 1) for letter in self._letters(options)[2])}

    def problem(self, tensors, options):
        sizes = self._sizes(tensors, options)
        settings: Settings = [("type", tensors["a"].elem)]
        if tensors["b"].elem != tensors["a"].elem:
            raise UsageError("contraction: argument 'b': expected elements of %s, as 'a', found %s"
                             % (tensors["a"].elem, tensors["b"].elem))
        if "c" in tensors:
            settings.append(("type_c", tensors["c"].elem))
        strides = ["%s:%s" % (n, "x".join(map(str, tensors[n].strides)))
                   for n in "abc" if n in tensors and tensors[n].shape]
        return settings + [("shape", "x".join(map(str, sizes.values()))),
                           ("strides", "+".join(strides) or "packed")], dict(tensors)

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        return {n: t._replace(shape=(0,) * len(t.shape), strides=(1,) * len(t.shape))
                for n, t in tensors.items() if n in ("a", "b")}
