"""Every render pipeline of a renderer, made on first use from the shader files.

A pipeline is asked for by a key, with the shader it runs and what else describes it. So when the
files change, all that were made can be made anew: either all of them work and take the place of
the old ones together, or nothing changes and the error tells why.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import wgpu

from engine.errors import EngineError
from engine.render.device import is_lost
from engine.render.shader_source import ShaderSources, ShaderText, compile_text

Describe = Callable[[Any], dict[str, Any]]
"""From a shader module to the arguments of `create_render_pipeline`."""


class _Recipe(NamedTuple):
    shader: str
    switches: frozenset[str]
    describe: Describe


class _Compiled(NamedTuple):
    text: ShaderText
    module: Any


_Modules = dict[tuple[str, frozenset[str]], _Compiled]


class PipelineStore:
    """Pipelines by key.

    Parameters
    ----------
    device
        The wgpu device.
    sources
        The shader files; None for those of this package.

    Attributes
    ----------
    version : int
        Grows when pipelines were made anew: what was recorded with the old ones is out of date.
    """

    def __init__(self, device: Any, sources: ShaderSources | None = None) -> None:
        self._device = device
        self._sources = ShaderSources() if sources is None else sources
        self._recipes: dict[Hashable, _Recipe] = {}
        self._pipelines: dict[Hashable, Any] = {}
        self._modules: _Modules = {}
        self.version = 0

    def __len__(self) -> int:
        return len(self._pipelines)

    @property
    def sources(self) -> ShaderSources:
        """The shader files, as they were last read."""
        return self._sources

    def get(
        self,
        key: Hashable,
        shader: str,
        describe: Describe,
        switches: frozenset[str] = frozenset(),
    ) -> Any:
        """The pipeline of a key, made if there is none yet.

        Parameters
        ----------
        key
            Tells it from all others.
        shader
            Name of its file.
        describe
            What else it is made of.
        switches
            Of the shader.

        Raises
        ------
        EngineError
            The shader does not compile, or does not fit; the message names the file and line.
        """
        found = self._pipelines.get(key)
        if found is None:
            recipe = _Recipe(shader, switches, describe)
            found = self._make(recipe, self._sources, self._modules)
            self._pipelines[key], self._recipes[key] = found, recipe
        return found

    def reload(self) -> bool:
        """Read the files anew; returns whether that made a difference to a pipeline.

        Raises
        ------
        EngineError
            One of them is broken; all pipelines are as they were.
        """
        sources, modules = self._sources.anew(), dict[tuple[str, frozenset[str]], _Compiled]()
        for name, switches in self._modules:
            text, before = sources.assemble(name, switches), self._modules[name, switches]
            same = text.code == before.text.code
            module = before.module if same else compile_text(self._device, text)
            modules[name, switches] = _Compiled(text, module)
        changed = {at for at, now in modules.items() if now.module is not self._modules[at].module}
        made = {
            key: self._make(recipe, sources, modules)
            for key, recipe in self._recipes.items()
            if (recipe.shader, recipe.switches) in changed
        }
        self._sources, self._modules = sources, modules
        self._pipelines |= made
        self.version += bool(made)
        return bool(made)

    def _make(self, recipe: _Recipe, sources: ShaderSources, modules: _Modules) -> Any:
        at = recipe.shader, recipe.switches
        if at not in modules:
            text = sources.assemble(*at)
            modules[at] = _Compiled(text, compile_text(self._device, text))
        text, module = modules[at]
        described = {"label": " ".join([recipe.shader, *sorted(recipe.switches)])}
        try:
            return self._device.create_render_pipeline(**described | recipe.describe(module))
        except wgpu.GPUError as problem:
            if is_lost(problem):
                raise
            raise EngineError(text.explain(str(problem))) from problem
