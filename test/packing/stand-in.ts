// A stand-in for Electron's own distribution, which not every machine can download: the files that electron-builder
// renames, edits and reads, and a program with Electron's fuses at their defaults.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FUSE_SENTINEL } from '../../scripts/packed.ts'

/** Fuse wire version 1 with nine fuses; '1' is on. */
const WIRE = Buffer.concat([Buffer.from(FUSE_SENTINEL), Buffer.from([1, 9]), Buffer.from('101100011')])

const OF_LINUX = [
  'LICENSE',
  'LICENSES.chromium.html',
  'chrome-sandbox',
  'chrome_crashpad_handler',
  'icudtl.dat',
  'libffmpeg.so',
  'locales/en-US.pak',
  'resources.pak',
  'v8_context_snapshot.bin',
  'version'
]

/** Writes the stand-in. @returns the relative paths of its files */
export function makeStandIn(folder: string, platform: 'linux' | 'win32' | 'darwin'): string[] {
  const files = new Map<string, string | Buffer>()
  if (platform === 'darwin') {
    const contents = 'Electron.app/Contents'
    files.set(`${contents}/Info.plist`, plist('Electron'))
    files.set(`${contents}/MacOS/Electron`, '')
    files.set(`${contents}/Resources/electron.icns`, '')
    files.set(`${contents}/Frameworks/Electron Framework.framework/Electron Framework`, WIRE)
    for (const kind of ['', ' (GPU)', ' (Plugin)', ' (Renderer)']) {
      const helper = `Electron Helper${kind}`
      files.set(`${contents}/Frameworks/${helper}.app/Contents/Info.plist`, plist(helper))
      files.set(`${contents}/Frameworks/${helper}.app/Contents/MacOS/${helper}`, '')
    }
  } else {
    for (const name of OF_LINUX) files.set(name, name)
    if (platform === 'linux') files.set('electron', WIRE)
    // electron-builder edits the version, the icon and the archive's hash in it, so it has to be a Windows program.
    else files.set('electron.exe', Buffer.concat([readFileSync(WINDOWS_PROGRAM), WIRE]))
  }
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content, { mode: 0o755 })
  }
  return [...files.keys()]
}

/**
 * Writes a stand-in for electron-builder's icon tool: it wraps the picture for Windows or macOS unchanged.
 * @returns the folder, for ELECTRON_BUILDER_ICONS_TOOLSET_DIR
 */
export function makeIconsTool(folder: string): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'icon-tool.js'), ICONS_TOOL)
  return folder
}

const ICONS_TOOL = `
const { readFileSync, writeFileSync } = require('node:fs')
const { input, format, out } = Object.fromEntries(process.argv.slice(2).map((each) => each.slice(2).split('=')))
const picture = readFileSync(input)
const head = Buffer.alloc(format === 'ico' ? 22 : 16)
if (format === 'ico') {
  // One picture, of 256 pixels or more, of 32 bits.
  ;[0, 1, 1, 0, 1, 32].forEach((word, place) => head.writeUInt16LE(word, place * 2))
  head.writeUInt16LE(32, 12)
  head.writeUInt32LE(picture.length, 14)
  head.writeUInt32LE(22, 18)
} else {
  head.write('icns', 0, 'latin1')
  head.writeUInt32BE(picture.length + 16, 4)
  head.write('ic09', 8, 'latin1')
  head.writeUInt32BE(picture.length + 8, 12)
}
require('node:fs').mkdirSync(out, { recursive: true })
writeFileSync(out + '/icon.' + format, Buffer.concat([head, picture]))
`

const WINDOWS_PROGRAM = join(import.meta.dirname, '../../node_modules/electron-winstaller/vendor/7z-x64.exe')

function plist(name: string): string {
  const keys = { CFBundleExecutable: name, CFBundleIdentifier: 'com.github.Electron', CFBundleName: name }
  const lines = Object.entries(keys).map(([key, value]) => `<key>${key}</key><string>${value}</string>`)
  return `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>${lines.join('')}</dict></plist>`
}
