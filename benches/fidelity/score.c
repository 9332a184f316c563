// Scores given tokens behind a given prefix with a small transformer, on one thread of any processor with AVX2; faster with AVX-512.
// All products are of 16-bit integers: activations keep 14 bits and a sign, weights 10; sums of 64 products are exact in 32
// bits, and go on in floating point. That is twice as fast as floating point and far finer than the models' own weights.
//
// score MODEL (written by export.py). A line in: "nprefix ncontinuation token token …". A line out: how many tokens were
// reused from the last request, then the log probability of each token of the continuation.
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int16_t i16;
enum { CHUNK = 256, ROWS = 16, MAX_CONTINUATION = 1024, BLOCK = 64 };
#define AS 16383.f

// ---- The model ----------------------------------------------------------------------------------------------------
/** Weights [n][k] as panels of 16 outputs: [n / 16][k / 2][16][2]. Row n is `q * scale[n]`. */
typedef struct { int n, k; i16 *q; float *scale; } Linear;
typedef struct {
  float *norm_attention, *norm_query, *norm_key, *norm_after_attention, *norm_feed, *norm_after_feed;
  Linear qkv, out, gate_up, down;
  i16 *keys, *values;           // keys: [kv head][position / 16][width / 2][16][2]; values: [kv head][width / 16][position / 2][16][2]
  float *key_scale, *value_scale; // [kv head][position]
} Layer;
static int gemma, layers, dim, heads, kv_heads, width, feed, vocabulary, positions;
static float epsilon, base;
static Layer *layer;
static Linear head;             // tied: the embeddings are its rows
static i16 *embedding;
static float *norm_out, *cosine[2], *sine[2];

static void *alloc(size_t bytes) {
  void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!p) { perror("score"); exit(1); }
  return memset(p, 0, bytes);
}
static FILE *file;
static void take(void *to, size_t bytes) { if (fread(to, 1, bytes, file) != bytes) { fprintf(stderr, "score: the model's file is too short\n"); exit(1); } }
static float *vector(int n) { float *v = alloc(n * 4); take(v, (size_t)n * 4); return v; }
static Linear linear(int n, int k, i16 **rows) {
  Linear l = { n, k, alloc((size_t)n * k * 2), vector(n) };
  i16 *w = malloc((size_t)n * k * 2);
  take(w, (size_t)n * k * 2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++) l.q[(size_t)(i / 16) * 16 * k + (j / 2) * 32 + (i % 16) * 2 + j % 2] = w[(size_t)i * k + j];
  if (rows) *rows = w; else free(w);
  return l;
}

// ---- Arithmetic ---------------------------------------------------------------------------------------------------
#ifdef __AVX512VNNI__
static inline void put(float *o, __m512i sum, int add) {
  __m512 x = _mm512_cvtepi32_ps(sum);
  _mm512_storeu_ps(o, add ? _mm512_add_ps(x, _mm512_loadu_ps(o)) : x);
}
/** out[4][16] = four rows of 16-bit numbers times one panel; `k` is a multiple of 64. Two sums a row, so that none waits for the other. */
static inline __attribute__((always_inline)) void tile(const i16 *a, size_t lda, const i16 *panel, int k, float *out, size_t ldo) {
  for (int b = 0; b < k; b += BLOCK, panel += BLOCK * 16) {
    __m512i even[4], odd[4];
    for (int r = 0; r < 4; r++) even[r] = odd[r] = _mm512_setzero_si512();
#pragma GCC unroll 16
    for (int j = 0; j < BLOCK; j += 4) {
      __m512i w0 = _mm512_load_si512(panel + j * 16), w1 = _mm512_load_si512(panel + j * 16 + 32);
#pragma GCC unroll 4
      for (int r = 0; r < 4; r++) {
        int32_t u[2];
        memcpy(u, a + r * lda + b + j, 8);
        even[r] = _mm512_dpwssd_epi32(even[r], w0, _mm512_set1_epi32(u[0]));
        odd[r] = _mm512_dpwssd_epi32(odd[r], w1, _mm512_set1_epi32(u[1]));
      }
    }
    for (int r = 0; r < 4; r++) put(out + r * ldo, _mm512_add_epi32(even[r], odd[r]), b);
  }
}
#else
static inline void put(float *o, __m256i sum, int add) {
  __m256 x = _mm256_cvtepi32_ps(sum);
  _mm256_storeu_ps(o, add ? _mm256_add_ps(x, _mm256_loadu_ps(o)) : x);
}
/** out[4][16] = four rows of 16-bit numbers times one panel; `k` is a multiple of 64. */
static inline __attribute__((always_inline)) void tile(const i16 *a, size_t lda, const i16 *panel, int k, float *out, size_t ldo) {
  for (int b = 0; b < k; b += BLOCK, panel += BLOCK * 16) {
    __m256i c00 = _mm256_setzero_si256(), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
    const i16 *a0 = a + b, *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
#pragma GCC unroll 4
    for (int j = 0; j < BLOCK; j += 2) {
      __m256i w0 = _mm256_load_si256((const __m256i *)(panel + j * 16)), w1 = _mm256_load_si256((const __m256i *)(panel + j * 16 + 16)), x;
      int32_t u;
      memcpy(&u, a0 + j, 4); x = _mm256_set1_epi32(u); c00 = _mm256_add_epi32(c00, _mm256_madd_epi16(w0, x)); c01 = _mm256_add_epi32(c01, _mm256_madd_epi16(w1, x));
      memcpy(&u, a1 + j, 4); x = _mm256_set1_epi32(u); c10 = _mm256_add_epi32(c10, _mm256_madd_epi16(w0, x)); c11 = _mm256_add_epi32(c11, _mm256_madd_epi16(w1, x));
      memcpy(&u, a2 + j, 4); x = _mm256_set1_epi32(u); c20 = _mm256_add_epi32(c20, _mm256_madd_epi16(w0, x)); c21 = _mm256_add_epi32(c21, _mm256_madd_epi16(w1, x));
      memcpy(&u, a3 + j, 4); x = _mm256_set1_epi32(u); c30 = _mm256_add_epi32(c30, _mm256_madd_epi16(w0, x)); c31 = _mm256_add_epi32(c31, _mm256_madd_epi16(w1, x));
    }
    float *o = out;
    put(o, c00, b); put(o + 8, c01, b); o += ldo; put(o, c10, b); put(o + 8, c11, b); o += ldo;
    put(o, c20, b); put(o + 8, c21, b); o += ldo; put(o, c30, b); put(o + 8, c31, b);
  }
}
#endif
static __attribute__((noinline)) void product(const i16 *a, size_t lda, int rows, const i16 *panels, size_t panel, int n, int k, float *out, size_t ldo) {
  for (int j = 0; j < n; j += 16)
    for (int r = 0; r < rows; r += 4) tile(a + r * lda, lda, panels + (size_t)(j / 16) * panel, k, out + r * ldo + j, ldo);
}
/** Rounds `x / scale` to 16 bits, where the largest becomes `top`; gives the scale. */
static float quantize(const float *x, int n, float top, i16 *q) {
  float most = 1e-20f;
  for (int i = 0; i < n; i++) { float v = fabsf(x[i]); most = v > most ? v : most; }
  float f = top / most;
  for (int i = 0; i < n; i++) q[i] = (i16)(int)(x[i] * f + (x[i] < 0 ? -.5f : .5f));
  return most / top;
}
static void apply(const i16 *a, const float *as, int rows, Linear l, float *out) {
  product(a, l.k, (rows + 3) / 4 * 4, l.q, (size_t)16 * l.k, l.n, l.k, out, l.n);
  for (int r = 0; r < rows; r++) { float *o = out + (size_t)r * l.n, s = as[r]; for (int j = 0; j < l.n; j++) o[j] *= s * l.scale[j]; }
}
static inline __m256 exp8(__m256 x) {
  x = _mm256_max_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)), _mm256_set1_ps(-126.f));
  __m256 n = _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), r = _mm256_sub_ps(x, n);
  __m256 p = _mm256_set1_ps(1.3333558e-3f);
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(9.6181291e-3f)); p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(5.5504109e-2f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(2.4022651e-1f)); p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(6.9314718e-1f)); p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.f));
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23)));
}
static float most8(__m256 v) { float t[8]; _mm256_storeu_ps(t, v); float m = t[0]; for (int i = 1; i < 8; i++) if (t[i] > m) m = t[i]; return m; }
static float sum8(__m256 v) { float t[8]; _mm256_storeu_ps(t, v); float s = 0; for (int i = 0; i < 8; i++) s += t[i]; return s; }
static void normalize(const float *x, const float *w, float *o, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  s = 1 / sqrtf(s / n + epsilon);
  for (int i = 0; i < n; i++) o[i] = x[i] * s * w[i];
}
/** Positions go in as rotations: of neighbours, or (Gemma) of a head's two halves. */
static void rotate(float *x, int at, int local) {
  int half = width / 2;
  const float *c = cosine[local] + (size_t)at * half, *s = sine[local] + (size_t)at * half;
  for (int i = 0; i < half; i++) {
    float *a = gemma ? x + i : x + 2 * i, *b = gemma ? x + i + half : x + 2 * i + 1, u = *a, v = *b;
    *a = u * c[i] - v * s[i];
    *b = u * s[i] + v * c[i];
  }
}

// ---- One chunk of tokens through all layers -----------------------------------------------------------------------
static float *hidden, *mixed, *wide, *temporary, *scores, *scales, *query_scale;
static i16 *narrow, *queries, *weights;

/** Softmax of `scores` from `low` on, times the values' scales, as 16-bit numbers; gives what the sum is to be multiplied with. */
static float soften(float *s, const float *ks, float qs, const float *vs, int from, int to, int end, i16 *out) {
  __m256 most = _mm256_set1_ps(-1e30f), q = _mm256_set1_ps(qs);
  for (int j = 0; j < end; j += 8) _mm256_storeu_ps(s + j, _mm256_mul_ps(_mm256_loadu_ps(s + j), _mm256_mul_ps(q, _mm256_loadu_ps(ks + j))));
  for (int j = 0; j < from; j++) s[j] = -1e30f;
  for (int j = to; j < end; j++) s[j] = -1e30f;
  for (int j = 0; j < end; j += 8) most = _mm256_max_ps(most, _mm256_loadu_ps(s + j));
  __m256 m = _mm256_set1_ps(most8(most)), sum = _mm256_setzero_ps(), top = _mm256_set1_ps(1e-20f);
  for (int j = 0; j < end; j += 8) {
    __m256 x = _mm256_loadu_ps(s + j), e = _mm256_and_ps(exp8(_mm256_sub_ps(x, m)), _mm256_cmp_ps(x, _mm256_set1_ps(-1e29f), _CMP_GT_OQ));
    sum = _mm256_add_ps(sum, e);
    e = _mm256_mul_ps(e, _mm256_loadu_ps(vs + j));
    top = _mm256_max_ps(top, e);
    _mm256_storeu_ps(s + j, e);
  }
  float largest = most8(top);
  __m256 f = _mm256_set1_ps(AS / largest);
  for (int j = 0; j < end; j += 16) {
    __m256i a = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(s + j), f)), b = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(s + j + 8), f));
    _mm256_storeu_si256((__m256i *)(out + j), _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8));
  }
  return largest / AS / sum8(sum);
}

static void attend(Layer *y, int at, int rows, int local, float *out) {
  int per = heads / kv_heads;
  static float part[ROWS * 512];
  for (int h = 0; h < heads; h++) {
    int g = h / per;
    const i16 *keys = y->keys + (size_t)g * positions * width, *values = y->values + (size_t)g * positions * width;
    const float *ks = y->key_scale + (size_t)g * positions, *vs = y->value_scale + (size_t)g * positions;
    for (int r = 0; r < rows; r += ROWS) {
      int many = rows - r < ROWS ? rows - r : ROWS, padded = (many + 3) / 4 * 4, last = at + r + many;
      int low = local && at + r > 511 ? (at + r - 511) / 64 * 64 : 0, n = ((last - low) + 63) / 64 * 64;
      const i16 *q = queries + ((size_t)h * CHUNK + r) * width;
      product(q, width, padded, keys + (size_t)low * width, (size_t)16 * width, n, width, scores, positions);
      float times[ROWS];
      for (int i = 0; i < many; i++) {
        int here = at + r + i, from = local && here - 511 > low ? here - 511 - low : 0;
        times[i] = soften(scores + (size_t)i * positions, ks + low, query_scale[h * CHUNK + r + i], vs + low, from, here + 1 - low, n, weights + (size_t)i * positions);
      }
      product(weights, positions, padded, values + (size_t)low * 16, (size_t)16 * positions, width, n, part, width);
      for (int i = 0; i < many; i++)
        for (int j = 0; j < width; j++) out[(size_t)(r + i) * heads * width + h * width + j] = part[i * width + j] * times[i];
    }
  }
}

static void remember(Layer *y, int g, int at, float *k, const float *v) {
  i16 q[512];
  y->key_scale[(size_t)g * positions + at] = quantize(k, width, 1023, q);
  i16 *keys = y->keys + (size_t)g * positions * width + (size_t)(at / 16) * 16 * width;
  for (int j = 0; j < width; j++) keys[(j / 2) * 32 + (at % 16) * 2 + j % 2] = q[j];
  y->value_scale[(size_t)g * positions + at] = quantize(v, width, 1023, q);
  i16 *values = y->values + (size_t)g * positions * width + (size_t)(at / 2) * 32 + at % 2;
  for (int j = 0; j < width; j++) values[(size_t)(j / 16) * 16 * positions + (j % 16) * 2] = q[j];
}

static void activate(const float *gate, const float *up, float *out) {
  for (int j = 0; j < feed; j += 8) {
    __m256 g = _mm256_loadu_ps(gate + j), u = _mm256_loadu_ps(up + j), z = g;
    if (gemma) z = _mm256_mul_ps(_mm256_set1_ps(1.5957691216f), _mm256_fmadd_ps(_mm256_set1_ps(0.044715f), _mm256_mul_ps(_mm256_mul_ps(g, g), g), g));
    __m256 e = exp8(_mm256_min_ps(_mm256_sub_ps(_mm256_setzero_ps(), z), _mm256_set1_ps(80)));
    _mm256_storeu_ps(out + j, _mm256_mul_ps(u, _mm256_div_ps(g, _mm256_add_ps(_mm256_set1_ps(1), e))));
  }
}

static void run(const int *tokens, int at, int rows) {
  int qd = heads * width, kd = kv_heads * width, all = qd + 2 * kd;
  float row[8192], times = gemma ? sqrtf(dim) : 1, under = 1 / sqrtf(width);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < dim; j++) hidden[(size_t)i * dim + j] = embedding[(size_t)tokens[i] * dim + j] * head.scale[tokens[i]] * times;
  for (int l = 0; l < layers; l++) {
    Layer *y = layer + l;
    int local = gemma && l % 6 < 5;
    for (int i = 0; i < rows; i++) { normalize(hidden + (size_t)i * dim, y->norm_attention, row, dim); scales[i] = quantize(row, dim, AS, narrow + (size_t)i * dim); }
    apply(narrow, scales, rows, y->qkv, wide);
    for (int i = 0; i < rows; i++) {
      float *q = wide + (size_t)i * all, *k = q + qd, *v = k + kd;
      for (int h = 0; h < heads; h++, q += width) {
        if (gemma) normalize(q, y->norm_query, q, width);
        rotate(q, at + i, local);
        query_scale[h * CHUNK + i] = under * quantize(q, width, AS, queries + ((size_t)h * CHUNK + i) * width);
      }
      for (int g = 0; g < kv_heads; g++, k += width, v += width) {
        if (gemma) normalize(k, y->norm_key, k, width);
        rotate(k, at + i, local);
        remember(y, g, at + i, k, v);
      }
    }
    attend(y, at, rows, local, mixed);
    for (int i = 0; i < rows; i++) scales[i] = quantize(mixed + (size_t)i * qd, qd, AS, narrow + (size_t)i * qd);
    apply(narrow, scales, rows, y->out, temporary);
    for (int i = 0; i < rows; i++) {
      float *t = temporary + (size_t)i * dim, *x = hidden + (size_t)i * dim;
      if (gemma) normalize(t, y->norm_after_attention, t, dim);
      for (int j = 0; j < dim; j++) x[j] += t[j];
      normalize(x, y->norm_feed, row, dim);
      scales[i] = quantize(row, dim, AS, narrow + (size_t)i * dim);
    }
    apply(narrow, scales, rows, y->gate_up, wide);
    for (int i = 0; i < rows; i++) {
      activate(wide + (size_t)i * 2 * feed, wide + (size_t)i * 2 * feed + feed, row);
      scales[i] = quantize(row, feed, AS, narrow + (size_t)i * feed);
    }
    apply(narrow, scales, rows, y->down, temporary);
    for (int i = 0; i < rows; i++) {
      float *t = temporary + (size_t)i * dim, *x = hidden + (size_t)i * dim;
      if (gemma) normalize(t, y->norm_after_feed, t, dim);
      for (int j = 0; j < dim; j++) x[j] += t[j];
    }
  }
}

static void load(const char *path) {
  file = fopen(path, "rb");
  if (!file) { perror(path); exit(1); }
  int h[9];
  take(h, sizeof h);
  gemma = h[0], layers = h[1], dim = h[2], heads = h[3], kv_heads = h[4], width = h[5], feed = h[6], vocabulary = h[7], positions = h[8];
  take(&epsilon, 4); take(&base, 4);
  head = linear(vocabulary, dim, &embedding);
  norm_out = vector(dim);
  layer = calloc(layers, sizeof *layer);
  for (int l = 0; l < layers; l++) {
    Layer *y = layer + l;
    size_t kept = (size_t)kv_heads * positions;
    y->norm_attention = vector(dim);
    if (gemma) { y->norm_query = vector(width); y->norm_key = vector(width); y->norm_after_attention = vector(dim); y->norm_after_feed = vector(dim); }
    y->norm_feed = vector(dim);
    y->qkv = linear((heads + 2 * kv_heads) * width, dim, 0); y->out = linear(dim, heads * width, 0);
    y->gate_up = linear(2 * feed, dim, 0); y->down = linear(dim, feed, 0);
    y->keys = alloc(kept * width * 2); y->values = alloc(kept * width * 2);
    y->key_scale = alloc(kept * 4); y->value_scale = alloc(kept * 4);
  }
  fclose(file);
  for (int t = 0; t < 2; t++) {
    cosine[t] = alloc((size_t)positions * width * 2); sine[t] = alloc((size_t)positions * width * 2);
    for (int p = 0; p < positions; p++)
      for (int i = 0; i < width / 2; i++) {
        double a = p * pow(t ? 10000. : base, -2. * i / width);
        cosine[t][(size_t)p * width / 2 + i] = cos(a); sine[t][(size_t)p * width / 2 + i] = sin(a);
      }
  }
  int all = (heads + 2 * kv_heads) * width, widest = 2 * feed > all ? 2 * feed : all, most = feed > heads * width ? feed : heads * width;
  if (most < dim) most = dim;
  hidden = alloc((size_t)CHUNK * dim * 4); temporary = alloc((size_t)CHUNK * dim * 4); mixed = alloc((size_t)CHUNK * heads * width * 4);
  wide = alloc((size_t)CHUNK * widest * 4); narrow = alloc((size_t)CHUNK * most * 2); queries = alloc((size_t)heads * CHUNK * width * 2);
  scores = alloc((size_t)ROWS * positions * 4); weights = alloc((size_t)ROWS * positions * 2);
  scales = alloc(CHUNK * 4); query_scale = alloc((size_t)heads * CHUNK * 4);
}

int main(int count, char **arguments) {
  if (count != 2) { fprintf(stderr, "score MODEL\n"); return 2; }
  load(arguments[1]);
  int *tokens = alloc((size_t)positions * 4), *old = alloc((size_t)positions * 4), known = 0, prefix, many;
  float *states = alloc((size_t)MAX_CONTINUATION * dim * 4), *logits = alloc((size_t)4 * vocabulary * 4), row[8192];
  puts("ready"); fflush(stdout);
  while (scanf("%d %d", &prefix, &many) == 2) {
    int n = prefix + many, fits = n <= positions && many <= MAX_CONTINUATION && prefix > 0;
    for (int i = 0; i < n; i++) { int t; if (scanf("%d", &t) != 1) return 1; if (i < positions) tokens[i] = t; if (t < 0 || t >= vocabulary) fits = 0; }
    if (!fits) { puts("-1"); fflush(stdout); continue; }
    int same = 0;
    while (same < known && same < prefix - 1 && tokens[same] == old[same]) same++;
    // The state behind token i foretells token i + 1: those of prefix - 1 to n - 2 are wanted.
    for (int p = same; p < n - 1; p += CHUNK) {
      int rows = n - 1 - p < CHUNK ? n - 1 - p : CHUNK;
      run(tokens + p, p, rows);
      for (int i = 0; i < rows; i++) if (p + i >= prefix - 1) memcpy(states + (size_t)(p + i - prefix + 1) * dim, hidden + (size_t)i * dim, dim * 4);
    }
    memcpy(old, tokens, (size_t)n * 4);
    known = n - 1;
    printf("%d", same);
    for (int m = 0; m < many; m += 4) {
      int rows = many - m < 4 ? many - m : 4;
      for (int i = 0; i < rows; i++) { normalize(states + (size_t)(m + i) * dim, norm_out, row, dim); scales[i] = quantize(row, dim, AS, narrow + (size_t)i * dim); }
      apply(narrow, scales, rows, head, logits);
      for (int i = 0; i < rows; i++) {
        float *q = logits + (size_t)i * vocabulary;
        __m256 most = _mm256_set1_ps(-1e30f);
        for (int j = 0; j < vocabulary; j += 8) most = _mm256_max_ps(most, _mm256_loadu_ps(q + j));
        float top = most8(most);
        double sum = 0;
        for (int j = 0; j < vocabulary; j += 4096) {
          __m256 s = _mm256_setzero_ps();
          for (int e = j; e < j + 4096 && e < vocabulary; e += 8) s = _mm256_add_ps(s, exp8(_mm256_sub_ps(_mm256_loadu_ps(q + e), _mm256_set1_ps(top))));
          sum += sum8(s);
        }
        printf(" %.5f", q[tokens[prefix + m + i]] - top - log(sum));
      }
    }
    puts(""); fflush(stdout);
  }
  return 0;
}
