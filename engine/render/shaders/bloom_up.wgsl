// A wider octave over the next finer one, through a tent of three by three samples.
#include "fullscreen_vertex.wgsl"

struct Octave {
    share: f32,
    strength: f32,
}

@group(0) @binding(0) var<uniform> octave: Octave;
@group(0) @binding(1) var source_sampler: sampler;
@group(0) @binding(2) var source: texture_2d<f32>;

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let step = 1.0 / vec2<f32>(textureDimensions(source));
    var light = vec3<f32>(0.0);
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let share = f32((2 - abs(x)) * (2 - abs(y))) / 16.0;
            let at = in.uv + vec2<f32>(f32(x), f32(y)) * step;
            light += share * textureSampleLevel(source, source_sampler, at, 0.0).rgb;
        }
    }
    return vec4<f32>(light, octave.share);
}
