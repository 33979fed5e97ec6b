// Settings of tsup. The variable SVC_EXTERNAL leaves the library out of the bundle.
const library = ['svc-search']
const isExternal = process.env['SVC_EXTERNAL'] !== undefined

export default {
  entry: ['program.mjs'],
  outDir: 'out/tsup',
  format: ['esm', 'cjs'],
  ...(isExternal ? { external: library } : { noExternal: library }),
}
