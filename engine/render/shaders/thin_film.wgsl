// Fresnel reflectance of a thin film over a base: Belcour and Barla 2017 as
// KHR_materials_iridescence states it.

const SRGB_FROM_XYZ = mat3x3<f32>(
    3.2404542, -0.9692660, 0.0556434, -1.5371385, 1.8760108, -0.2040259, -0.4985314, 0.0415560,
    1.0572252);

// Sensitivity of the eye to a phase shift, from Gaussian fits in Fourier space.
fn film_sensitivity(path: f32, shift: vec3<f32>) -> vec3<f32> {
    let phase = 2.0 * PI * path * 1e-9;
    let value = vec3<f32>(5.4856e-13, 4.4201e-13, 5.2481e-13);
    let position = vec3<f32>(1.6810e6, 1.7953e6, 2.2084e6);
    let variance = vec3<f32>(4.3278e9, 9.3046e9, 6.6121e9);
    var xyz = value * sqrt(2.0 * PI * variance) * cos(position * phase + shift)
        * exp(-phase * phase * variance);
    xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e9) * cos(2.2399e6 * phase + shift.x)
        * exp(-4.5282e9 * phase * phase);
    return SRGB_FROM_XYZ * (xyz / 1.0685e-7);
}

fn full_fresnel(f0: vec3<f32>, cosine: f32) -> vec3<f32> {
    return f0 + (1.0 - f0) * pow(saturate(1.0 - cosine), 5.0);
}

fn thin_film(film_ior: f32, cosine: f32, thickness: f32, base_f0: vec3<f32>) -> vec3<f32> {
    // A vanishing film must not show: its IOR fades to that of air.
    let ior = mix(1.0, film_ior, smoothstep(0.0, 0.03, thickness));
    let sine_squared = (1.0 - cosine * cosine) / (ior * ior);
    if (sine_squared > 1.0) {
        return vec3<f32>(1.0);
    }
    let inner = sqrt(1.0 - sine_squared);
    let root = (ior - 1.0) / (ior + 1.0);
    let first = full_fresnel(vec3<f32>(root * root), cosine).x;
    let through = 1.0 - first;
    let first_shift = select(0.0, PI, ior < 1.0);
    let base_root = sqrt(clamp(base_f0, vec3<f32>(0.0), vec3<f32>(0.9999)));
    let base_ior = (1.0 + base_root) / (1.0 - base_root);
    let second_root = (base_ior - ior) / (base_ior + ior);
    let second = full_fresnel(second_root * second_root, inner);
    let second_shift = select(vec3<f32>(0.0), vec3<f32>(PI), base_ior < vec3<f32>(ior));
    let path = 2.0 * ior * thickness * inner;
    let shift = vec3<f32>(PI - first_shift) + second_shift;
    let product = clamp(first * second, vec3<f32>(1e-5), vec3<f32>(0.9999));
    let root_product = sqrt(product);
    let series = through * through * second / (1.0 - product);
    var reflected = first + series;
    var term = series - through;
    for (var order = 1; order <= 2; order++) {
        term *= root_product;
        reflected += term * 2.0 * film_sensitivity(f32(order) * path, f32(order) * shift);
    }
    return max(reflected, vec3<f32>(0.0));
}

// The F0 that gives a reflectance at an angle under Schlick's law.
fn schlick_f0(reflectance: vec3<f32>, cosine: f32) -> vec3<f32> {
    let weight = min(pow(saturate(1.0 - cosine), 5.0), 0.9999);
    return (reflectance - weight) / (1.0 - weight);
}
