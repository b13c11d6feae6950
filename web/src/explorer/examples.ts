// Examples of questions, from the cases that started the project.

import type {Pairs} from '../question';

export interface Example {
  name: string;
  question: Pairs;
}

export const examples: readonly {about: string; examples: readonly Example[]}[] = [
  {about: 'A tile and its padding', examples: [
    {name: 'a column of tile[32][32]', question: [['expr', 'tile[t][0]'], ['array', 'float tile[32][32]']]},
    {name: 'a column of tile[32][33]', question: [['expr', 'tile[t][0]'], ['array', 'float tile[32][33]']]},
    {name: 'a column of tile[32][32], swizzled', question: [['expr', 'tile[t][0]'], ['array', 'float tile[32][32]'], ['swizzle', '5,0,5']]},
    {name: 'tile[31][31] needs no padding', question: [['expr', 'tile[threadIdx.x][threadIdx.y]'], ['array', 'float tile[31][31]'], ['block', '31,1']]},
    {name: 'a store to matrix[t][4]', question: [['expr', 'matrix[threadIdx.x][4]'], ['array', 'int matrix[32][32]'], ['op', 'st']]},
  ]},
  {about: 'Strides and broadcasts of 32 bits', examples: [
    {name: 'stride 1', question: [['expr', 't'], ['type', 'float']]},
    {name: 'stride 2', question: [['expr', 't * 2'], ['type', 'float']]},
    {name: 'stride 3', question: [['expr', 't * 3'], ['type', 'float']]},
    {name: 'stride s = 8', question: [['expr', 't * s'], ['let', 's=8'], ['type', 'float']]},
    {name: 'all lanes read one word', question: [['expr', '0'], ['type', 'float']]},
    {name: 'interleaved halves', question: [['expr', 't * 2 + t / 16'], ['type', 'float']]},
    {name: 'broadcast and conflict at once', question: [['expr', 't % 2 != 0 ? t / 8 * 32 + 18 : t'], ['type', 'float']]},
  ]},
  {about: '64 bits a lane', examples: [
    {name: 'half a warp', question: [['expr', 't'], ['type', 'uint2'], ['where', 't < 16']]},
    {name: '16 active lanes, in both halves', question: [['expr', 't == 16 ? 15 : t'], ['type', 'uint2'], ['where', 't < 15 || t == 16']]},
    {name: 'pairs of lanes share words, so halves merge', question: [['expr', 't / 2'], ['type', 'uint2']]},
    {name: 'different partners, so no merge', question: [['expr', 't < 16 ? t / 2 : (t / 4) * 4 + (t % 4) % 2'], ['type', 'uint2']]},
    {name: 'both halves read the same words', question: [['expr', 't % 16'], ['type', 'uint2']]},
    {name: 'stores never merge', question: [['expr', 't / 2'], ['type', 'uint2'], ['op', 'st']]},
  ]},
  {about: '128 bits a lane', examples: [
    {name: 'lanes 15 and 16', question: [['expr', '4'], ['type', 'uint4'], ['where', 't == 15 || t == 16']]},
    {name: 'lanes 0 and 15', question: [['expr', '4'], ['type', 'uint4'], ['where', 't == 0 || t == 15']]},
    {name: 'quarters merge in pairs', question: [['expr', '(t / 8) * 2 + ((t % 8) / 2) % 2'], ['type', 'uint4']]},
    {name: 'different partners, so no merge', question: [['expr', 't < 16 ? (t / 8) * 2 + ((t % 8) / 2) % 2 : (t / 8) * 2 + (t % 8) % 2'], ['type', 'uint4']]},
    {name: 'merged, and in conflict', question: [['expr', '(t / 16) * 4 + (t % 16) / 8 + (t % 8) / 4 * 8'], ['type', 'uint4']]},
    {name: 'all lanes read one address', question: [['expr', '0'], ['type', 'uint4']]},
  ]},
  {about: 'Matrix loads', examples: [
    {name: 'ldmatrix.x4, rows of 64 halves', question: [['expr', '(t % 16) * 64 + (t / 16) * 8'], ['type', 'half'], ['op', 'ldmatrix.x4']]},
    {name: 'swizzled by hand', question: [['expr', '(t % 16) * 64 + (((t / 16) ^ (t % 8)) * 8)'], ['type', 'half'], ['op', 'ldmatrix.x4']]},
    {name: "CuTe's Swizzle<3,4,3>", question: [['expr', '(t % 16) * 64 + (t / 16) * 8'], ['type', 'half'], ['op', 'ldmatrix.x4'], ['swizzle', '3,4,3']]},
    {name: 'rows padded to 72 halves', question: [['expr', '(t % 16) * 72 + (t / 16) * 8'], ['type', 'half'], ['op', 'ldmatrix.x4']]},
  ]},
  {about: 'CuTe layouts', examples: [
    {name: 'rows of 33: (32,32):(33,1)', question: [['expr', 'tile(t, 0)'], ['array', 'float tile (32,32):(33,1)']]},
    {name: 'columns first: (32,32):(1,32)', question: [['expr', 'tile(0, t)'], ['array', 'float tile (32,32):(1,32)']]},
    {name: 'Swizzle<3,3,3> o (8,64):(64,1)', question: [['expr', 'A(t % 8, t / 8 * 8)'], ['array', 'half A Swizzle<3,3,3> o (8,64):(64,1)'], ['op', 'ldmatrix.x4']]},
  ]},
  {about: 'Atomics', examples: [
    {name: 'all lanes add to one word', question: [['expr', '0'], ['type', 'float'], ['op', 'atom.add']]},
    {name: 'a histogram of four bins', question: [['expr', 't % 4'], ['type', 'int'], ['op', 'atom.add']]},
  ]},
  {about: 'Older and invented machines', examples: [
    {name: 'Kepler, 4-byte banks', question: [['expr', 't * 2'], ['type', 'float'], ['arch', 'sm_35']]},
    {name: 'Kepler, 8-byte banks', question: [['expr', 't * 2'], ['type', 'float'], ['arch', 'sm_35.8']]},
    {name: 'Fermi, doubles', question: [['expr', 't'], ['type', 'double'], ['arch', 'sm_20']]},
    {name: 'Fermi, all lanes read one of two words', question: [['expr', 't % 2'], ['type', 'float'], ['arch', 'sm_20']]},
    {name: 'Tesla, chars', question: [['expr', 't'], ['type', 'char'], ['arch', 'sm_13']]},
    {name: 'ten banks, a column of ten', question: [['expr', 'matrix[t][4]'], ['array', 'int matrix[10][10]'], ['op', 'st'], ['where', 't < 10'], ['arch', '10x4']]},
    {name: 'ten banks, rows of eleven', question: [['expr', 'matrix[t][4]'], ['array', 'int matrix[10][11]'], ['op', 'st'], ['where', 't < 10'], ['arch', '10x4']]},
  ]},
  {about: 'Global memory', examples: [
    {name: 'floats in a row', question: [['expr', 'x[t]'], ['space', 'global']]},
    {name: 'every second float', question: [['expr', 'x[t * 2]'], ['space', 'global']]},
    {name: 'floats in a row, one float later', question: [['expr', 'x[t + 1]'], ['space', 'global']]},
    {name: 'float3', question: [['expr', 'p[t]'], ['type', 'float3'], ['space', 'global']]},
    {name: 'a member of a struct', question: [['expr', 'p[t].x'], ['array', 'struct P { float x, y, z, w; } p[1024]'], ['space', 'global']]},
    {name: 'a column', question: [['expr', 'a[t][0]'], ['array', 'float a[1024][1024]'], ['space', 'global']]},
    {name: 'rows of 1001 floats', question: [['expr', 'a[1][t]'], ['array', 'float a[1024][1001]'], ['space', 'global']]},
  ]},
];

/** The example that the explorer shows if the URL has no question. */
export const first_example: Pairs = examples[0]!.examples[0]!.question;
