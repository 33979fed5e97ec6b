// Puts binaries of the native packages into `dist/natives`, so that installations need no compiler:
// `node scripts/build/natives.mjs --node 22`, also before packing. Binaries are made for the system of
// this machine, for its processor and, on Linux, for the other one where there is a cross compiler.
// Headers of the releases of Node come from the package registry. A binary that cannot be made is
// reported and
// left out: the package works without. Plain JavaScript.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { thirdPartyLicences } from './licenses.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packages = join(root, 'node_modules')
const target = join(root, 'dist/natives')
const { platform, versions } = process

/** Binaries that work with all releases of Node (Node-API) have no number in their names. */
const NATIVES = [
  { name: 'mmap-io', binary: 'mmap_io.node', hasAbi: true },
  { name: 'fs-ext', binary: 'fs_ext.node', hasAbi: true },
  { name: 'zstd-napi', binary: 'binding.node', hasAbi: false },
]
/** Packages whose code or headers are in the binaries. */
const CONTAINED = ['fs-ext', 'mmap-io', 'nan', 'node-addon-api', 'zstd-napi']
/** Processor → the prefix of the names of its compilers on Linux. */
const COMPILERS = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }
/**
 * mmap-io compiles against Node 24 only as C++20; older releases accept it as well. Threads of zstd,
 * which are not used, would need glibc 2.34; Node itself needs 2.28.
 */
const FLAGS = { CXXFLAGS: '-std=c++20', CFLAGS: '-UZSTD_MULTITHREAD', LDFLAGS: '-s' }

const [major] = versions.node.split('.')
const { values } = parseArgs({
  options: { node: { type: 'string', multiple: true, default: [major] } },
})

rmSync(target, { recursive: true, force: true })
let made = 0
const releases = values.node.map(headersOf).filter((headers) => headers !== null)
for (const [arch, compiler] of compilers()) {
  mkdirSync(join(target, `${platform}-${arch}`), { recursive: true })
  for (const native of NATIVES) {
    const chosen = native.hasAbi ? releases : releases.slice(0, 1)
    for (const headers of chosen) compile(native, headers, arch, compiler)
  }
}
const inputs = CONTAINED.map((name) => join('node_modules', name, 'package.json'))
const licences = thirdPartyLicences(
  root,
  inputs.filter((path) => existsSync(join(root, path))),
)
if (made > 0) writeFileSync(join(target, 'THIRD-PARTY-LICENSES'), licences)
console.error(`${made} binaries in dist/natives`)

/** Returns processors and the environment variables that select their compilers. */
function compilers() {
  const all = [[process.arch, {}]]
  if (platform !== 'linux') return all
  for (const [arch, prefix] of Object.entries(COMPILERS)) {
    if (arch === process.arch) continue
    const CXX = `${prefix}-g++`
    const isThere = spawnSync(CXX, ['--version']).status === 0
    if (isThere) all.push([arch, { CXX, CC: `${prefix}-gcc`, AR: `${prefix}-ar` }])
    else console.error(`linux-${arch}: there is no compiler ${CXX}; left out`)
  }
  return all
}

/** Compiles a package in a copy. */
function compile(native, headers, arch, compiler) {
  const header = readFileSync(join(headers, 'include/node/node_version.h'), 'utf8')
  const abi = /#define NODE_MODULE_VERSION (\d+)/.exec(header)[1]
  const folder = mkdtempSync(join(tmpdir(), 'svc-natives-'))
  try {
    for (const name of [native.name, 'nan', 'node-addon-api']) {
      cpSync(join(packages, name), join(folder, 'node_modules', name), {
        recursive: true,
        filter: (path) => path !== join(packages, name, 'build'),
      })
    }
    const cwd = join(folder, 'node_modules', native.name)
    const words = [
      join(packages, 'node-gyp/bin/node-gyp.js'),
      'rebuild',
      '--module_name=mmap_io',
      '--module_path=./binding',
    ]
    // Settings of npm, which `npm run` passes on, would have precedence over options.
    const options = { npm_config_nodedir: headers, npm_config_arch: arch }
    const env = { ...process.env, ...FLAGS, ...compiler, ...options }
    const done = spawnSync(process.execPath, words, { cwd, env, encoding: 'utf8' })
    const file = native.hasAbi ? `${native.name}-${abi}.node` : `${native.name}.node`
    if (done.status !== 0) {
      console.error(`${file} for ${platform}-${arch}: not compiled; left out\n${done.stderr}`)
      return
    }
    const built = join(cwd, 'build/Release', native.binary)
    copyFileSync(built, join(target, `${platform}-${arch}`, file))
    made++
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the folder of a release of Node that has its headers, or null if it cannot be fetched. */
function headersOf(release) {
  const folder = join(packages, '.svc-headers', release)
  const name = `node-${platform}-${process.arch}`
  const found = join(folder, 'node_modules', name)
  if (existsSync(join(found, 'include'))) return found
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${release}`]
  const done = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' })
  if (done.status === 0) return found
  console.error(`the headers of Node ${release} cannot be fetched; left out\n${done.stderr ?? ''}`)
  return null
}
