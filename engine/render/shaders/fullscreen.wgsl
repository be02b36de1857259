// One triangle that covers the target; uv (0, 0) is the top left.

struct Fullscreen {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

fn fullscreen_triangle(index: u32, depth: f32) -> Fullscreen {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u));
    return Fullscreen(vec4<f32>(corner * 2.0 - 1.0, depth, 1.0), vec2<f32>(corner.x, 1.0 - corner.y));
}
