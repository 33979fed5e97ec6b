// Settings of Next.js. The variable SVC_EXTERNAL leaves the library out of the bundle.
const isExternal = process.env['SVC_EXTERNAL'] !== undefined

export default isExternal ? { serverExternalPackages: ['svc-search'] } : {}
