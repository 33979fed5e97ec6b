// How the program is bundled: bundlers of the package registry, with the library in the bundle and
// outside of it.

/** Packages from the registry; the newest of a major release. */
export const TOOLS: Readonly<Record<string, string>> = {
  esbuild: '^0.28.2',
  next: '^16.4.6',
  react: '^19.3.1',
  'react-dom': '^19.3.1',
  tsup: '^8.5.1',
  typescript: '^5.9.3',
  vite: '^8.3.8',
  webpack: '^5.113.0',
}

export type Case = {
  readonly name: string
  /** Program and arguments that make the bundle; programs of packages are in the path. */
  readonly build: readonly string[]
  readonly isExternal: boolean
  /** The bundle; null for the server of Next.js. */
  readonly bundle: string | null
}

const ESBUILD = ['esbuild', 'program.mjs', '--bundle', '--platform=node']
const NEXT = ['next', 'build']

const bundled = (
  name: string,
  build: readonly string[],
  bundle: string | null,
): readonly Case[] => [
  { name: `${name}, library inside`, build, bundle, isExternal: false },
  { name: `${name}, library outside`, build, bundle, isExternal: true },
]

const esbuild = (format: 'esm' | 'cjs'): readonly Case[] => {
  const outfile = `out/esbuild.${format === 'esm' ? 'mjs' : 'cjs'}`
  const build = [...ESBUILD, `--format=${format}`, `--outfile=${outfile}`]
  const [inside, outside] = bundled(`esbuild (${format})`, build, outfile)
  return [inside!, { ...outside!, build: [...build, '--external:svc-search'] }]
}

export const CASES: readonly Case[] = [
  ...esbuild('esm'),
  ...esbuild('cjs'),
  ...bundled('tsup', ['tsup'], 'out/tsup/program.js'),
  ...bundled('Vite SSR', ['vite', 'build'], 'out/vite/program.js'),
  ...bundled('webpack', ['node', 'webpack.mjs'], 'out/webpack/program.cjs'),
  ...bundled('Next.js with webpack', [...NEXT, '--webpack'], null),
  ...bundled('Next.js with Turbopack', [...NEXT, '--turbopack'], null),
]
