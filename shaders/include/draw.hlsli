// What every stand-in shares: the draw's own numbers, the captured constant buffers by their names, and the way out.
//
// Constant buffers lie in space0, resources in space1, read-back outputs in space2 (HLSL's register classes would
// otherwise share bindings in Vulkan). Which register a captured program has them at is the plan's to know.

struct Draw
{
    uint first_vertex;      // vertex number of the first record of the outputs; arithmetic on it wraps
    uint vertex_count;      // records of an instance
    uint first_instance;    // Vulkan's instance index counts from it, Direct3D's does not
    uint flags;
    uint record_size;       // bytes of a cbInstanceData record
    uint index_offset;      // VC_InstanceIdxOffset
    uint world_offset;      // bytes in a record
    uint fade_offset;       // bytes in a record
    uint palette_offset;    // bytes in a record of matricesData.x
    uint bound_palette;     // bytes the draw binds of cbObjMatrix
    uint bound_previous;    // of cbPrevObjMatrix
    uint bound_records;     // of cbInstanceData
    uint bound_indices;     // of g_InstanceIndexBuffer
    uint bound_views;       // of cbMatrixWVP
};

static const uint SWAP_VIEWS = 1;         // the two view-projections change places
static const uint UNORM_NORMAL = 2;       // NORMAL is stored as unorm: 2 v - 1
static const uint INDEX_BUFFER = 4;       // g_InstanceIndexBuffer is bound
static const uint PALETTE_FIRST = 8;      // records hold the palette's first entry
static const uint SIGNED_BYTES = 16;      // BLENDINDICES are stored as 8-bit signed numbers
static const uint SIGNED_SHORTS = 32;     // or as 16-bit ones

[[vk::push_constant]] ConstantBuffer<Draw> draw;

cbuffer cbMatrixWVP : register(b0, space0) { float4 views[8]; };
cbuffer cbObjMatrix : register(b1, space0) { float4 palette[768]; };
cbuffer cbInstanceData : register(b3, space0) { float4 rec[4096]; };
ByteAddressBuffer g_InstanceIndexBuffer : register(t0, space1);
RWByteAddressBuffer outputs : register(u0, space2);

// A row of a constant buffer, of which only what lies in the bound bytes counts: the rest reads as zero, whatever is
// declared.
float4 kept(float4 value, uint row, uint bound)
{
    uint4 end = 16 * row + uint4(4, 8, 12, 16);
    return end <= uint4(bound, bound, bound, bound) ? value : float4(0.0, 0.0, 0.0, 0.0);
}

float word(uint at)
{
    uint bound = min(draw.bound_records, 65536);
    return bound >= 4 && at <= bound - 4 ? rec[at / 16][(at / 4) % 4] : 0.0;
}

float4 words(uint at)
{
    return float4(word(at), word(at + 4), word(at + 8), word(at + 12));
}

// The number of an instance's record.
uint record_of(uint instance)
{
    if ((draw.flags & INDEX_BUFFER) == 0)
        return instance;
    // In words, so that nothing wraps where an index is inside.
    uint at = instance + draw.index_offset;
    bool inside = at >= instance && at < draw.bound_indices / 4;
    return inside ? g_InstanceIndexBuffer.Load(4 * at) : 0;
}

// Where an instance's record starts. Records are at most 65,536 bytes (the executor sees to it), so that the product
// fits; one whose number is past every range starts far outside.
uint record_start(uint instance)
{
    uint record = record_of(instance);
    return record < 0x10000 ? record * draw.record_size : 0xFFFF0000;
}

uint first_entry(uint instance)
{
    if ((draw.flags & PALETTE_FIRST) == 0)
        return 0;
    return asuint(word(record_start(instance) + draw.palette_offset));
}

struct Affine
{
    float4 x, y, z;
};

float3 apply(Affine m, float4 p)
{
    return float3(dot(m.x, p), dot(m.y, p), dot(m.z, p));
}

float3 turn(Affine m, float3 d)
{
    return float3(dot(m.x.xyz, d), dot(m.y.xyz, d), dot(m.z.xyz, d));
}

Affine palette_entry(uint entry)
{
    uint row = 3 * min(entry, 256);
    Affine m = (Affine)0;
    if (entry < 256)
    {
        m.x = kept(palette[row], row, draw.bound_palette);
        m.y = kept(palette[row + 1], row + 1, draw.bound_palette);
        m.z = kept(palette[row + 2], row + 2, draw.bound_palette);
    }
    return m;
}

float4 view_row(uint matrix_number, uint row)
{
    uint at = 4 * ((draw.flags & SWAP_VIEWS) != 0 ? 1 - matrix_number : matrix_number) + row;
    return kept(views[at], at, draw.bound_views);
}

float4 clip(uint matrix_number, float3 position)
{
    float4 p = float4(position, 1.0);
    return float4(dot(view_row(matrix_number, 0), p), dot(view_row(matrix_number, 1), p),
                  dot(view_row(matrix_number, 2), p), dot(view_row(matrix_number, 3), p));
}

// A palette entry number as the captured format has it: signed ones below zero name no entry.
uint4 entries(uint4 stored, uint first)
{
    if ((draw.flags & SIGNED_BYTES) != 0)
        stored = uint4(int4(stored << 24) >> 24);
    if ((draw.flags & SIGNED_SHORTS) != 0)
        stored = uint4(int4(stored << 16) >> 16);
    return stored + first;
}

float3 decoded_normal(float3 stored)
{
    return (draw.flags & UNORM_NORMAL) != 0 ? 2.0 * stored - 1.0 : stored;
}

// A zero vector stays zero. Scaled first, so that the square of no length is too small or too large for a float.
float3 unit(float3 v)
{
    float largest = max(abs(v.x), max(abs(v.y), abs(v.z)));
    if (!(largest > 0.0))
        return v;
    float3 scaled = v / largest;
    return scaled / sqrt(dot(scaled, scaled));
}

// Byte offset of a vertex's record of `components` floats among the outputs.
uint output_start(uint vertex, uint instance, uint components)
{
    return 4 * components * (instance * draw.vertex_count + (vertex - draw.first_vertex));
}

void store(uint at, float4 v)
{
    outputs.Store4(at, asuint(v));
}

void store(uint at, float3 v)
{
    outputs.Store3(at, asuint(v));
}
