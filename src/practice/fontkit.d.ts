/** The parts of fontkit that are used; it has no types of its own. */
declare module 'fontkit' {
  export namespace Font {
    export interface Command {
      command: 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'bezierCurveTo' | 'closePath'
      args: number[]
    }
  }
  export interface Font {
    unitsPerEm: number
    layout(text: string): { glyphs: { path: { commands: Font.Command[] } }[]; positions: { xAdvance: number }[] }
  }
  export function create(bytes: Uint8Array): Font
}
