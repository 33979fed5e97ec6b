// The frame around every write-once file. Layout and guarantees: ./FRAME.md
export { FRAME_PAGE_BYTES, type Tag } from './layout-v1.ts'
export { Frame, type LazyBytes, Section } from './reader-v1.ts'
export { type ByteSink, FrameWriter } from './writer-v1.ts'
