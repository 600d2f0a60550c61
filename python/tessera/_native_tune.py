# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of libtessera that measures and tunes (include/tessera/tune.h), through ctypes."""
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64,
                    c_size_t, c_uint, c_uint32, c_void_p)

from ._native import Arg, Grid, _declare

SOURCES = ("measured", "record", "nearest", "default")
FATES = ("untried", "timed", "same", "not built", "failed", "wrong", "too slow",
         "pruned")
STAGES = ("building", "checking", "timing")

KeepFn = CFUNCTYPE(c_bool, c_void_p, c_void_p)
BuildFn = CFUNCTYPE(c_void_p, c_void_p, c_void_p)
GridFn = CFUNCTYPE(c_bool, c_void_p, c_void_p, POINTER(Grid))
ArgsFn = CFUNCTYPE(c_bool, c_void_p, c_void_p, POINTER(Arg))


class Progress(Structure):
    _fields_ = [("stage", c_int), ("done", c_size_t), ("total", c_size_t), ("seconds", c_double),
                ("best", c_void_p), ("best_ms", c_double), ("pruned", c_size_t)]


ProgressFn = CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))


class Problem(Structure):
    _fields_ = [("struct_size", c_size_t), ("device", c_void_p), ("space", c_void_p),
                ("name", c_char_p), ("text", c_char_p), ("length", c_size_t), ("build", BuildFn),
                ("kernel", c_char_p), ("level", c_int), ("grid", c_char_p), ("grid_of", GridFn),
                ("args", POINTER(Arg)), ("n_args", c_size_t), ("args_of", ArgsFn),
                ("user", c_void_p), ("expected", POINTER(c_void_p))]


class Options(Structure):
    _fields_ = [("struct_size", c_size_t), ("seconds", c_double), ("threads", c_uint),
                ("tolerance", c_double), ("store", c_void_p), ("again", c_bool),
                ("exact", c_bool), ("look_up_only", c_bool), ("cold", c_bool),
                ("progress", ProgressFn), ("progress_user", c_void_p)]


class Outcome(Structure):
    _fields_ = [("choice", c_void_p), ("fate", c_int), ("same_as", c_size_t),
                ("median_ms", c_double), ("spread_ms", c_double), ("samples", c_uint),
                ("problem", c_char_p)]


class Record(Structure):
    _fields_ = [("kernel", c_char_p), ("program", c_char_p), ("space", c_char_p),
                ("sizes", c_char_p), ("device", c_char_p), ("version", c_char_p),
                ("parameters", c_char_p), ("median_ms", c_double), ("spread_ms", c_double),
                ("samples", c_uint32), ("estimate", c_bool), ("time", c_int64)]


WalkFn = CFUNCTYPE(c_bool, c_void_p, POINTER(Record))


class BenchOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("warm_up_ms", c_double), ("measure_ms", c_double),
                ("min_launches", c_uint), ("max_launches", c_uint), ("cold", c_bool),
                ("samples", POINTER(c_double)), ("capacity", c_size_t),
                ("quantiles", POINTER(c_double)), ("n_quantiles", c_size_t),
                ("quantile_ms", POINTER(c_double))]


class BenchResult(Structure):
    _fields_ = [("median_ms", c_double), ("mean_ms", c_double), ("min_ms", c_double),
                ("max_ms", c_double), ("p20_ms", c_double), ("p80_ms", c_double),
                ("samples", c_uint), ("launches", c_uint)]


space_create = _declare("tsr_tune_space_create", c_void_p, c_void_p)
space_destroy = _declare("tsr_tune_space_destroy", None, c_void_p)
space_add_ints = _declare("tsr_tune_space_add_ints", c_int, c_void_p, c_char_p, POINTER(c_int64),
                          c_size_t)
space_add_words = _declare("tsr_tune_space_add_words", c_int, c_void_p, c_char_p,
                           POINTER(c_char_p), c_size_t)
space_set_size = _declare("tsr_tune_space_set_size", c_int, c_void_p, c_char_p, c_int64)
space_add_condition = _declare("tsr_tune_space_add_condition", c_int, c_void_p, c_char_p)
space_add_filter = _declare("tsr_tune_space_add_filter", c_int, c_void_p, KeepFn, c_void_p)
space_count = _declare("tsr_tune_space_count", c_size_t, c_void_p)
space_choice = _declare("tsr_tune_space_choice", c_void_p, c_void_p, c_size_t)
choice_int = _declare("tsr_tune_choice_int", c_bool, c_void_p, c_char_p, POINTER(c_int64))
choice_word = _declare("tsr_tune_choice_word", c_char_p, c_void_p, c_char_p)
choice_substitute = _declare("tsr_tune_choice_substitute", c_void_p, c_void_p, c_char_p, c_size_t,
                             c_char_p, POINTER(c_size_t))
choice_evaluate = _declare("tsr_tune_choice_evaluate", c_int, c_void_p, c_char_p,
                           POINTER(c_int64))
store_open = _declare("tsr_tuning_store_open", c_void_p, c_void_p, c_char_p)
store_close = _declare("tsr_tuning_store_close", None, c_void_p)
store_put = _declare("tsr_tuning_store_put", c_int, c_void_p, POINTER(Record), c_size_t)
store_walk = _declare("tsr_tuning_store_walk", c_int, c_void_p, POINTER(Record), WalkFn, c_void_p)
CallFn = CFUNCTYPE(c_int, c_void_p, c_void_p)
bench_calls = _declare("tsr_bench_calls", c_int, c_void_p, CallFn, c_void_p, POINTER(BenchOptions),
                       POINTER(BenchResult))
bench = _declare("tsr_bench", c_int, c_void_p, Grid, POINTER(Arg), c_size_t, POINTER(BenchOptions),
                 POINTER(BenchResult))
tune = _declare("tsr_tune", c_void_p, POINTER(Problem), POINTER(Options))
tuned_destroy = _declare("tsr_tuned_destroy", None, c_void_p)
tuned_choice = _declare("tsr_tuned_choice", c_void_p, c_void_p)
tuned_grid = _declare("tsr_tuned_grid", Grid, c_void_p)
tuned_source = _declare("tsr_tuned_source", c_int, c_void_p)
tuned_ms = _declare("tsr_tuned_ms", c_double, c_void_p)
tuned_ties = _declare("tsr_tuned_ties", c_size_t, c_void_p)
tuned_noise = _declare("tsr_tuned_noise", c_double, c_void_p)
tuned_repeats = _declare("tsr_tuned_repeats", c_size_t, c_void_p)
tuned_count = _declare("tsr_tuned_count", c_size_t, c_void_p)
tuned_outcome = _declare("tsr_tuned_outcome", c_bool, c_void_p, c_size_t, POINTER(Outcome))
