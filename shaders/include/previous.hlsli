// The last frame's palette (register 6 in Sekiro's motion-vector programs).

cbuffer cbPrevObjMatrix : register(b2, space0) { float4 previous[768]; };

Affine previous_entry(uint entry)
{
    uint row = 3 * min(entry, 256);
    Affine m = (Affine)0;
    if (entry < 256)
    {
        m.x = kept(previous[row], row, draw.bound_previous);
        m.y = kept(previous[row + 1], row + 1, draw.bound_previous);
        m.z = kept(previous[row + 2], row + 2, draw.bound_previous);
    }
    return m;
}

float3 previously_skinned_point(uint4 entry, float4 weight, float3 position)
{
    float4 p = float4(position, 1.0);
    return weight.x * apply(previous_entry(entry.x), p) + weight.y * apply(previous_entry(entry.y), p)
         + weight.z * apply(previous_entry(entry.z), p) + weight.w * apply(previous_entry(entry.w), p);
}
