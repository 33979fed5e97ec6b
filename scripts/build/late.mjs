// Loads modules of Node at their first use instead of at the start of a program: each takes some
// milliseconds, and the first answer needs none of them. Works on the output of the bundler, where
// every import is a variable and every use of it a member.

/** `crypto` alone takes 10 ms of processor time when `http` is already loaded, `https` 5. */
const LATE = [
  'node:crypto',
  'node:dns',
  'node:dns/promises',
  'node:fs/promises',
  'node:https',
  'node:querystring',
  'node:tls',
]

const IMPORT = /\b(import_\w+)=require\("(node:[\w/]+)"\)/g
const USE = /\b(import_\w+)\b(?:\.(\w+))?/g

/**
 * Creates an object whose members load the module when one of them is read. Then they become plain
 * members.
 */
const LOADER =
  'const svcLate=(name,members)=>{const late={};' +
  'const load=()=>{const all=require(name);' +
  'for(const m of members)Object.defineProperty(late,m,{value:all[m],enumerable:true})};' +
  'for(const m of members)Object.defineProperty(late,m,' +
  '{configurable:true,enumerable:true,get(){load();return late[m]}});return late};'

/** Returns the text of a program that loads modules of `LATE` late; line numbers stay the same. */
export function loadedLate(text) {
  const moduleOf = new Map()
  for (const [, variable, module] of text.matchAll(IMPORT)) {
    if (LATE.includes(module)) moduleOf.set(variable, module)
  }
  const members = new Map()
  for (const [, variable, member] of text.matchAll(USE)) {
    const module = moduleOf.get(variable)
    if (module === undefined || member === undefined) continue
    members.set(module, (members.get(module) ?? new Set()).add(member))
  }
  const nameOf = (module) => `svcLate_${module.replace(/\W/g, '_')}`
  const objects = [...members].map(
    ([module, names]) =>
      `const ${nameOf(module)}=svcLate("${module}",${JSON.stringify([...names].sort())});`,
  )
  const linked = text.replace(IMPORT, (found, variable, module) =>
    members.has(module) ? `${variable}=${nameOf(module)}` : found,
  )
  return objects.length === 0 ? text : `${LOADER}${objects.join('')}${linked}`
}
