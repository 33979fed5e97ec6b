// The tar library, in a separate module that is loaded with the first archive.
export { extract, pack } from 'tar-stream'
