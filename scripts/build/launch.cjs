// Runs a program from its compiled form. Compiling the server takes a third of its start. V8 can
// store compiled code and load it again if source, Node and machine are the same. The build copies
// this file into `dist`. The first start on a machine writes the compiled form beside the program.
// It lacks functions that have not run by then, so a program can have it written again once it has
// warmed up. If the folder is read-only, every start compiles. Plain JavaScript on Node's own
// modules.
'use strict'
const {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs')
const { cachedDataVersionTag, setFlagsFromString } = require('node:v8')
const {
  getEnvironmentData,
  isMainThread,
  setEnvironmentData,
  threadId,
} = require('node:worker_threads')
const { Script } = require('node:vm')
const { crc32 } = require('node:zlib')

/** Time for a program to run through what it needs; V8 forgets what it has not used for long. */
const SETTLED_MS = 3000
/** Another thread may set flags at the same moment. */
const KEEP_TRIES = 5
/** It runs as it is: its owner alone may write to it. */
const MODE = 0o644
const WRITABLE_BY_OTHERS = 0o022
/**
 * Three u32: checksums of everything the compiled form depends on, and of itself; how full it is.
 * Then zeros: V8 copies a compiled form that does not begin at a multiple of eight.
 */
const HEADER_BYTES = 16
const AT_START = 0
const AFTER_WARM_UP = 1
/**
 * V8 takes a compiled form only under the flags it was made with, and the process changes flags
 * later. What is kept is for those of the start: here is what names them.
 */
const FLAGS = 'svc.flags'
/** The first thread is there before the main thread has told: no flag has changed by then. */
const flagsOfStart = getEnvironmentData(FLAGS) ?? cachedDataVersionTag()
if (isMainThread) setEnvironmentData(FLAGS, flagsOfStart)

/**
 * V8 drops the code of functions that have not run during some collections, and a compiled form
 * would lack most of what runs at a start. Until it is written, they stay.
 */
const STAYING_CODE = { changed: ['--no-flush-bytecode'], usual: ['--flush-bytecode'] }
/** Time until the last compiled form of a process is written. */
const STAYING_MS = 30_000

/**
 * Flags that a running server sets, and the same ones as V8 sets them: for code that stays, its
 * optimizing compiler and the helpers of collections (`engine/runtime/lean-compilation.ts`), and
 * its young heap (`engine/runtime/young-heap.ts`).
 */
const CHANGED_FLAGS = [
  STAYING_CODE,
  {
    changed: [
      '--max-inlined-bytecode-size-cumulative=200',
      '--no-turbo-loop-peeling',
      '--no-parallel-scavenge',
    ],
    usual: [
      '--max-inlined-bytecode-size-cumulative=920',
      '--turbo-loop-peeling',
      '--parallel-scavenge',
    ],
  },
  {
    changed: ['--min-semi-space-size=4', '--semi-space-growth-factor=1'],
    usual: ['--min-semi-space-size=0', '--semi-space-growth-factor=2'],
  },
]
exports.CHANGED_FLAGS = CHANGED_FLAGS

/**
 * Modules of Node that are loaded when a program first uses a member of them: most programs never
 * call another server or program, and a server without keys computes no digests.
 */
const LATE = new Set(
  'child_process crypto dns dns/promises fs/promises http2 https timers/promises tls'
    .split(' ')
    .map((name) => `node:${name}`),
)

/** The build puts programs between these, so that their text is never copied. */
exports.HEAD = '(function (exports, require, module, __filename) {'
exports.TAIL = '\n})'

/**
 * Returns the exports of the program `file`; `require` is its own. If no compiled form fits, one is
 * written after `settledMs`. A program that exports `onWarm` receives a function that writes it
 * again: it calls it when the code that users wait for has run.
 */
exports.launch = (file, require, settledMs = SETTLED_MS) => {
  const kept = `${file}.compiled`
  const { script, key, isFresh, fullness } = compiled(file, kept)
  const module = { exports: {} }
  const needed = (name) => (LATE.has(name) ? late(name, require) : require(name))
  script.runInThisContext()(module.exports, needed, module, file)
  if (key === null) return module.exports
  if (!isFresh) setTimeout(() => keep(kept, key, script, AT_START), settledMs).unref()
  const { onWarm } = module.exports
  const isWarmAwaited = onWarm !== undefined && fullness !== AFTER_WARM_UP
  if (!isFresh || isWarmAwaited) {
    letCodeStay()
    onWarm?.(() => keep(kept, key, script, AFTER_WARM_UP))
  }
  return module.exports
}

/** Nothing holds the bytes that it reads once it has returned: they are megabytes. */
function compiled(file, kept) {
  const read = reader(file, kept)
  const bytes = read(file)
  // The checksum of bytes needs no encoding of a text.
  const key = keyOf(bytes)
  // The build leaves nothing but ASCII.
  const source = bytes.latin1Slice()
  const found = key === null || !isTrusted(kept, file) ? undefined : readKept(kept, key, read)
  const compile = () => new Script(source, { filename: file, cachedData: found?.data })
  const script = underFlagsOfStart(compile) ?? compile()
  const isFresh = found !== undefined && !script.cachedDataRejected
  return { script, key, isFresh, fullness: found?.fullness }
}

function letCodeStay() {
  const before = cachedDataVersionTag()
  for (const flag of STAYING_CODE.changed) setFlagsFromString(flag)
  // It may be a flag of the command line, or another thread has set it.
  if (cachedDataVersionTag() === before) return
  const end = () => {
    for (const flag of STAYING_CODE.usual) setFlagsFromString(flag)
  }
  setTimeout(end, STAYING_MS).unref()
}

/** Stands for a module: loads it when a member is read, or when its members are listed or copied. */
function late(name, require) {
  let found
  const module = () => (found ??= require(name))
  return new Proxy(
    {},
    {
      get: (_, member) => module()[member],
      has: (_, member) => member in module(),
      ownKeys: () => Reflect.ownKeys(module()),
      getOwnPropertyDescriptor(_, member) {
        const own = Reflect.getOwnPropertyDescriptor(module(), member)
        // A proxy may not report members as fixed that its own object lacks.
        return own && { ...own, configurable: true }
      },
    },
  )
}

/** Null where this release of Node has no quick checksum: nothing is kept then. */
function keyOf(bytes) {
  if (crc32 === undefined) return null
  const { version, arch, platform } = process
  return crc32(bytes, crc32(`${version} ${arch} ${platform} ${process.execArgv.join(' ')}`))
}

/** Whether nobody but this user, the owner of the program and root could have written the file. */
function isTrusted(path, program) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return false
  // Where there are no users, the folder alone decides.
  if (process.geteuid === undefined) return true
  const owners = [process.geteuid(), 0, statSync(program).uid]
  return owners.includes(found.uid) && (found.mode & WRITABLE_BY_OTHERS) === 0
}

/**
 * Returns a function that reads one of these files into memory that all of them share: the result
 * is valid until the next call.
 */
function reader(...paths) {
  const sizes = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  const room = Buffer.allocUnsafeSlow(Math.max(...sizes))
  return (path) => {
    const file = openSync(path)
    try {
      const { size } = fstatSync(file)
      // Another process may have replaced the file since its size was read.
      const bytes = size > room.length ? Buffer.allocUnsafeSlow(size) : room.subarray(0, size)
      let length = 0
      for (let read = -1; read !== 0 && length < size; length += read) {
        read = readSync(file, bytes, length, size - length)
      }
      return bytes.subarray(0, length)
    } finally {
      closeSync(file)
    }
  }
}

function readKept(path, key, read) {
  try {
    const bytes = read(path)
    if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== key) return undefined
    const data = bytes.subarray(HEADER_BYTES)
    if (crc32(data) !== bytes.readUInt32LE(4)) return undefined
    return { data, fullness: bytes.readUInt32LE(8) }
  } catch {
    return undefined
  }
}

function keep(path, key, script, fullness, tries = KEEP_TRIES) {
  const data = underFlagsOfStart(() => {
    // V8 drops the code of functions that have not run for long, as the one around the program,
    // whose compilation takes longest: this compiles it again, and does not run the program.
    script.runInThisContext()
    return script.createCachedData()
  })
  if (data === null) {
    const again = () => keep(path, key, script, fullness, tries - 1)
    if (tries > 1) setTimeout(again, SETTLED_MS * Math.random()).unref()
    return
  }
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(key, 0)
  header.writeUInt32LE(crc32(data), 4)
  header.writeUInt32LE(fullness, 8)
  const unfinished = `${path}.${process.pid}.${threadId}`
  try {
    writeFileSync(unfinished, Buffer.concat([header, data]), { flag: 'wx', mode: MODE })
    renameSync(unfinished, path)
  } catch {
    rmSync(unfinished, { force: true })
  }
}

/**
 * Returns the result of `make` under the flags of the start, or null if further flags have changed,
 * or another thread has changed some meanwhile. Other threads run under the same flags, which costs
 * them nothing in so short a time.
 */
function underFlagsOfStart(make) {
  const restored = CHANGED_FLAGS.filter(({ usual }) => {
    const before = cachedDataVersionTag()
    // They may be flags of the command line.
    if (before === flagsOfStart) return false
    for (const flag of usual) setFlagsFromString(flag)
    return cachedDataVersionTag() !== before
  })
  try {
    const made = cachedDataVersionTag() === flagsOfStart ? make() : null
    return cachedDataVersionTag() === flagsOfStart ? made : null
  } finally {
    for (const { changed } of restored) for (const flag of changed) setFlagsFromString(flag)
  }
}
