// Light of any strength in 0..1 and back, so that averages are about those of what is seen.

// What is no number becomes none of it, as it would spread over the whole picture; looked at by its
// bits, as compilers may take for granted that there is no such thing.
fn compressed(light: vec3<f32>) -> vec3<f32> {
    let exponent = bitcast<vec3<u32>>(light) & vec3<u32>(0x7f800000u);
    let mantissa = bitcast<vec3<u32>>(light) & vec3<u32>(0x007fffffu);
    let is_nan = (exponent == vec3<u32>(0x7f800000u)) & (mantissa != vec3<u32>(0u));
    let known = min(select(light, vec3<f32>(0.0), is_nan), vec3<f32>(60000.0));
    return known / (1.0 + max(known.r, max(known.g, known.b)));
}

fn expanded(color: vec3<f32>) -> vec3<f32> {
    let strongest = max(color.r, max(color.g, color.b));
    return color / max(1.0 - strongest, 5e-4);
}
