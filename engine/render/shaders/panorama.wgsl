// Where a direction is in an equirectangular picture whose first row is straight up.
fn panorama_uv(direction: vec3<f32>) -> vec2<f32> {
    let turn = atan2(direction.z, direction.x);
    return vec2<f32>(
        turn * 0.15915494309189535 + 0.5, acos(clamp(direction.y, -1.0, 1.0)) * 0.3183098861837907);
}
