// A sky whose radiance depends on height only, and the light that comes from it.

fn sky_radiance(height: f32) -> vec3<f32> {
    let up = mix(frame.horizon, frame.zenith, sqrt(saturate(height)));
    let down = mix(frame.horizon, frame.ground, smoothstep(0.0, 0.35, -height));
    return select(down, up, height >= 0.0);
}

// Mean radiance of the hemisphere around a direction: the two halves weighted by what it sees.
fn sky_mean(direction: vec3<f32>) -> vec3<f32> {
    let above = mix(frame.horizon, frame.zenith, 0.55);
    let below = mix(frame.horizon, frame.ground, 0.8);
    return mix(below, above, 0.5 + 0.5 * direction.y);
}

fn sky_reflection(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    return mix(sky_radiance(direction.y), sky_mean(direction), smoothstep(0.0, 0.8, roughness));
}
