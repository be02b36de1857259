// How ambient occlusion is found (`ambient_occlusion.py`).

struct Look {
    // Half of what is seen to each side, at a distance of one metre or in parallel.
    extent: vec2<f32>,
    size: vec2<f32>,
    radius: f32,
    strength: f32,
    parallel: f32,
}

@group(0) @binding(0) var<uniform> look: Look;
