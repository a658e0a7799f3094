// What a G-buffer vertex program hands to the rasteriser.

struct Surface
{
    float4 position : SV_Position;
    float3 normal : NORMAL;
};

void store_surface(uint vertex, uint instance, Surface s)
{
    uint at = output_start(vertex, instance, 7);
    store(at, s.position);
    store(at + 16, s.normal);
}
