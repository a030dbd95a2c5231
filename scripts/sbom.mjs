/**
 * Before packing: what the application is made of, as npm itself lists it (CycloneDX), for those who watch for vulnerable packages.
 * What is bundled into it is among what npm calls development, so all of it is listed: what only builds and tests is marked by that,
 * and is there as well. Called by electron-builder.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
/** One list for all systems that are packed at once. */
let isWritten = false

export default function beforePack() {
  if (isWritten) return
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const list = execFileSync(npm, ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    // Of a command file, which only a shell starts; the arguments are ours.
    shell: process.platform === 'win32'
  })
  const folder = join(root, 'out/sbom')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'sbom.cdx.json'), list)
  isWritten = true
}
