// The library of the tar layer, in a module of its own that is loaded when an archive is met.
export { extract, pack } from 'tar-stream'
