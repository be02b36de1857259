// Directional, point and spot lights (KHR_lights_punctual).

struct Light {
    position: vec3<f32>,
    // 0 directional, 1 point, 2 spot
    kind: u32,
    direction: vec3<f32>,
    // 1 / range^2, 0 for unlimited
    inverse_range_squared: f32,
    color: vec3<f32>,
    cone_scale: f32,
    cone_offset: f32,
    // Number of its first shadow map, negative for none.
    shadow_view: f32,
    pad0: f32,
    pad1: f32,
}

@group(0) @binding(6) var<storage, read> lights: array<Light>;

struct Incoming {
    towards_light: vec3<f32>,
    irradiance: vec3<f32>,
}

fn incoming_light(light: Light, position: vec3<f32>) -> Incoming {
    if (light.kind == 0u) {
        return Incoming(-light.direction, light.color);
    }
    let offset = light.position - position;
    let squared = max(dot(offset, offset), 1e-8);
    let towards = offset * inverseSqrt(squared);
    let ratio = squared * light.inverse_range_squared;
    var strength = saturate(1.0 - ratio * ratio) / squared;
    if (light.kind == 2u) {
        let cone = saturate(dot(light.direction, -towards) * light.cone_scale + light.cone_offset);
        strength *= cone * cone;
    }
    return Incoming(towards, light.color * strength);
}
