# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: reading, printing, writing, optimising, and what is wrong with them."""
import os
import pathlib
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import pytest

import tessera
from tessera import _native

WRONG = """cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    %y = addi %x, %x : tile<f32>
    %z = adi %x, %x : tile<f32>
  }
}
"""
TWICE = """cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    %y = negf %x : tile<f32>
    %z = negf %x : tile<f32>
    print_tko "%f %f", %y, %z : tile<f32>, tile<f32> -> token
  }
}
"""
HINTED = """cuda_tile.module @m {
  entry @k() optimization_hints=<sm_80 = {nobody_knows = 1}> {
  }
}
"""


def test_reading_and_looking():
    module = tessera.load(pathlib.Path("kernels/saxpy.mlir"))
    assert list(module) == ["saxpy_f32"] and "saxpy_f32" in module and len(module) == 1
    assert [str(p) for p in module.kernels["saxpy_f32"]] == [
        "x: ptr<f32>", "y: ptr<f32>", "alpha: f32", "n: i64"]
    assert "saxpy_f32(x: ptr<f32>" in repr(module)


def test_programs_that_come_with_it(tmp_path, monkeypatch):
    own, root = tessera.load(pathlib.Path("kernels/saxpy.mlir")), pathlib.Path.cwd()
    monkeypatch.chdir(tmp_path)
    assert str(tessera.load("tessera:saxpy")) == str(tessera.load("tessera:saxpy.mlir")) == str(own)
    assert "hello" in "".join(tessera.load("tessera:examples/hello_grid"))
    for wrong in ("sax", "other/saxpy", "../kernels/saxpy", "examples/../kernels/saxpy", ""):
        with pytest.raises(tessera.InputError) as error:
            tessera.load("tessera:" + wrong)
        assert "no kernel that comes with tessera is called '%s'; they are in %s" % (
            wrong, root) in str(error.value)
    with pytest.raises(FileNotFoundError):
        tessera.load("saxpy")


def test_a_library_without_the_programs(tmp_path):
    library = shutil.copy(_native.library._name, tmp_path)
    packages = os.path.dirname(os.path.dirname(tessera.__file__))
    with pytest.raises(subprocess.CalledProcessError) as error:
        subprocess.run([sys.executable, "-c", "import tessera; tessera.load('tessera:saxpy')"], check=True, text=True,
                       stderr=subprocess.PIPE, env=dict(os.environ, TESSERA_LIBRARY=library, PYTHONPATH=packages))
    assert "'tessera:saxpy': the kernels that come with tessera are not beside its library" in error.value.stderr


def test_pages_of_notebooks():
    module = tessera.load("tessera:saxpy")
    page = ElementTree.fromstring("<div>%s</div>" % module._repr_html_())
    assert [td.text for td in page.iter("code")] == [
        "saxpy_f32", "x: ptr<f32>, y: ptr<f32>, alpha: f32, n: i64"]
    assert page.find(".//pre").text == str(module)
    kernel = module.kernel(device=tessera.Device("interp"))
    page = ElementTree.fromstring("<div>%s</div>" % kernel._repr_html_())
    assert page.find("p/code").text == "saxpy_f32[grid](x, y, alpha, n)"
    assert [td.text for td in page.iter("td") if td.text] == ["array of f32", "array of f32", "f32", "i64"]


@pytest.mark.parametrize("version", ["13.1", "13.2", "13.3", "newest"])
def test_round_trips(version):
    module = tessera.load("kernels/saxpy.mlir")
    assert str(tessera.Module(str(module))) == str(module)
    data = module.bytecode(version)
    again = tessera.Module(data)
    assert again.bytecode(version) == data
    assert [p.elem for p in again.kernels["saxpy_f32"]] == ["f32", "f32", "f32", "i64"]


def test_a_wrong_program():
    with pytest.raises(tessera.InputError) as caught:
        tessera.Module(WRONG, name="wrong.mlir")
    errors = caught.value.diagnostics
    assert [d.line for d in errors if d.severity == "error"][-1] == 4
    assert errors[-1].file == "wrong.mlir"
    assert "wrong.mlir:4:" in str(caught.value) and "^" in str(caught.value)


def test_a_warning():
    with pytest.warns(tessera.TesseraWarning, match="nobody_knows"):
        tessera.Module(HINTED)


def test_wrong_calls(tmp_path):
    with pytest.raises(TypeError, match="source is text or the bytes"):
        tessera.Module(7)
    with pytest.raises(FileNotFoundError):
        tessera.load(tmp_path / "nothing.mlir")
    module = tessera.load("kernels/saxpy.mlir")
    with pytest.raises(ValueError, match="version is like '13.1'"):
        module.bytecode("thirteen")
    with pytest.raises(tessera.TesseraError, match="12.9"):
        module.bytecode("12.9")
    with pytest.raises(ValueError, match="kind is one of 'llvm', 'asm'"):
        module.emit("pdf")
    with pytest.raises(ValueError, match="'ptx' is for GPUs: name one, as in emit"):
        module.emit("ptx")
    with pytest.raises(tessera.Unsupported, match="sm_1"):
        module.emit("ptx", target="sm_1")
    with pytest.raises(tessera.UsageError, match="tidy"):
        module.optimize("tidy")
    with pytest.raises(tessera.InputError):
        tessera.Module(module.bytecode()[:40])
    module.kernel()
    with pytest.raises(tessera.UsageError, match="before taking kernels"):
        module.optimize()
    with pytest.raises(KeyError, match="has 0 kernels"):
        tessera.Module("cuda_tile.module @m {\n}\n").kernel()


def test_optimising():
    module = tessera.Module(TWICE)
    assert module.optimize("cse") is module
    assert str(module).count("negf") == 1


def test_emitting():
    text = tessera.load("kernels/saxpy.mlir").emit("asm").decode()
    assert "saxpy_f32" in text


WEIGHTS = """cuda_tile.module @m {
  entry @widen(%x: tile<ptr<i3>>, %y: tile<ptr<i8>>) {
    %zero = constant <i32: 0> : tile<i32>
    %xv = make_tensor_view %x, shape = [16], strides = [1] : tensor_view<16xi3, strides=[1]>
    %xt = make_partition_view %xv : partition_view<tile=(16), tensor_view<16xi3, strides=[1]>>
    %a, %t = load_view_tko weak %xt[%zero] : partition_view<tile=(16), tensor_view<16xi3, strides=[1]>>, tile<i32> -> tile<16xi3>, token
    %b = exti %a signed : tile<16xi3> -> tile<16xi8>
    %yv = make_tensor_view %y, shape = [16], strides = [1] : tensor_view<16xi8, strides=[1]>
    %yt = make_partition_view %yv : partition_view<tile=(16), tensor_view<16xi8, strides=[1]>>
    %u = store_view_tko weak %b, %yt[%zero] : tile<16xi8>, partition_view<tile=(16), tensor_view<16xi8, strides=[1]>>, tile<i32> -> token
  }
}
"""


def test_extensions_are_asked_for(tmp_path):
    np = pytest.importorskip("numpy")
    file = tmp_path / "weights.mlir"
    file.write_text(WEIGHTS)
    with pytest.raises(tessera.InputError, match="i3"):
        tessera.Module(WEIGHTS)
    with pytest.raises(tessera.InputError, match="i3"):
        tessera.load(file)
    numbers = np.arange(16) % 8 - 4
    bits = (numbers[:, None] >> np.arange(3)) & 1
    packed = np.packbits(bits.astype(np.uint8).ravel(), bitorder="little")
    for module in tessera.Module(WEIGHTS, extensions=True), tessera.load(file, extensions=True):
        y = np.zeros(16, np.int8)
        module["widen"][1](packed, y)
        assert (y == numbers).all()
        with pytest.raises(TypeError, match="uint8 or int8"):
            module["widen"][1](packed.astype(np.int32), y)
        with pytest.raises(tessera.TesseraError, match="i3"):
            module.bytecode("newest")
