// Linear blending of palette entries: weights as stored, never renormalised (claim weight-sum).

float3 skinned_point(uint4 entry, float4 weight, float3 position)
{
    float4 p = float4(position, 1.0);
    return weight.x * apply(palette_entry(entry.x), p) + weight.y * apply(palette_entry(entry.y), p)
         + weight.z * apply(palette_entry(entry.z), p) + weight.w * apply(palette_entry(entry.w), p);
}

float3 skinned_direction(uint4 entry, float4 weight, float3 d)
{
    return weight.x * turn(palette_entry(entry.x), d) + weight.y * turn(palette_entry(entry.y), d)
         + weight.z * turn(palette_entry(entry.z), d) + weight.w * turn(palette_entry(entry.w), d);
}
