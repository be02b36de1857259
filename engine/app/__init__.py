"""One world with its registry, assets, bridge and picture, advanced frame by frame."""

from engine.app.app import App
from engine.app.frame_stats import FrameStats
from engine.app.news import AssetNews
from engine.app.renderer import AppRenderer

__all__ = ["App", "AppRenderer", "AssetNews", "FrameStats"]
