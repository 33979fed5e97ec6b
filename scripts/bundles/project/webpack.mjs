// Bundles the program with webpack, without its command line.
import webpack from 'webpack'

const isExternal = process.env['SVC_EXTERNAL'] !== undefined
const options = {
  mode: 'production',
  target: 'node20',
  entry: './program.mjs',
  output: { path: `${import.meta.dirname}/out/webpack`, filename: 'program.cjs' },
  ...(isExternal && { externals: { 'svc-search': 'node-commonjs svc-search' } }),
}
webpack(options, (error, stats) => {
  if (error) throw error
  const found = stats.toString({ all: false, errors: true, warnings: true })
  if (found !== '') throw new Error(found)
})
