// A velvet layer: the Charlie distribution of inverted Gaussians (Estevez and Kulla 2017) with
// Neubelt's visibility (KHR_materials_sheen).

// Albedo of the layer; an exponential fit over the angle, its slope and offset over roughness.
fn charlie_albedo(roughness: f32, n_dot_x: f32) -> f32 {
    let squared = roughness * roughness;
    let inverse = 1.0 / (roughness + 0.1);
    let slope = -1.9362 + 1.0678 * roughness + 0.4573 * squared - 0.8469 * inverse;
    let offset = -0.6014 + 0.5538 * roughness - 0.4670 * squared - 0.1255 * inverse;
    return saturate(exp(slope * n_dot_x + offset));
}

// What the layer leaves to what lies below.
fn sheen_share(surface: Reflector, albedo: f32) -> f32 {
    let color = surface.sheen_color;
    return 1.0 - max(color.r, max(color.g, color.b)) * albedo;
}

fn under_sheen(
    surface: Reflector, below: vec3<f32>, towards_light: vec3<f32>, n_dot_l: f32, n_dot_h: f32,
) -> vec3<f32> {
    let inverse = 1.0 / (surface.sheen_roughness * surface.sheen_roughness);
    // Kept off zero, or half floats would lose it.
    let sine_squared = max(1.0 - n_dot_h * n_dot_h, 0.0078125);
    let distribution = (2.0 + inverse) * pow(sine_squared, 0.5 * inverse) / (2.0 * PI);
    let n_dot_v = surface.n_dot_v;
    let visibility = saturate(1.0 / (4.0 * (n_dot_l + n_dot_v - n_dot_l * n_dot_v)));
    let albedo = max(surface.sheen_albedo, charlie_albedo(surface.sheen_roughness, n_dot_l));
    let sheen = surface.sheen_color * (distribution * visibility * n_dot_l);
    return below * sheen_share(surface, albedo) + sheen;
}
