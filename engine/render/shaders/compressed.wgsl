// Light of any strength in 0..1 and back, so that averages are about those of what is seen.

fn compressed(light: vec3<f32>) -> vec3<f32> {
    return light / (1.0 + max(light.r, max(light.g, light.b)));
}

fn expanded(color: vec3<f32>) -> vec3<f32> {
    let strongest = max(color.r, max(color.g, color.b));
    return color / max(1.0 - strongest, 5e-4);
}
