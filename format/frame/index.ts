// The frame around every write-once file. Layout and promises: ./FRAME.md
export {
  type ByteSink,
  encodeFrame,
  FRAME_PAGE_BYTES,
  Frame,
  FrameWriter,
  Section,
  type Tag,
  tagNumber,
} from './frame-v1.ts'
export { frameNotes } from './notes.ts'
