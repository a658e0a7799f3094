// The last frame's palette (register 6 in Sekiro's motion-vector programs).

cbuffer cbPrevObjMatrix : register(b2, space0) { float4 previous[768]; };

Affine previous_entry(uint entry)
{
    uint row = entry < 256 ? 3 * entry : 0xFFFF;
    Affine m;
    m.x = inside(row, draw.bound_previous) && row < 768 ? previous[row] : 0.0;
    m.y = inside(row + 1, draw.bound_previous) && row < 768 ? previous[row + 1] : 0.0;
    m.z = inside(row + 2, draw.bound_previous) && row < 768 ? previous[row + 2] : 0.0;
    return m;
}

float3 previously_skinned_point(uint4 entry, float4 weight, float3 position)
{
    float4 p = float4(position, 1.0);
    return weight.x * apply(previous_entry(entry.x), p) + weight.y * apply(previous_entry(entry.y), p)
         + weight.z * apply(previous_entry(entry.z), p) + weight.w * apply(previous_entry(entry.w), p);
}
