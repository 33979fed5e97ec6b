// Settings of Vite. The variable SVC_EXTERNAL leaves the library out of the bundle.
export default {
  build: { ssr: 'program.mjs', outDir: 'out/vite' },
  ssr: { noExternal: process.env['SVC_EXTERNAL'] === undefined ? ['svc-search'] : [] },
}
