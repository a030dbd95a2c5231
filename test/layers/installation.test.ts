// Both commands of the README work on a machine with neither Python nor a compiler, whatever its npm version: no
// installed package runs a script, and native packages carry prebuilt binaries for each system. Decision 27.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

interface Package {
  version?: string
  hasInstallScript?: boolean
  os?: string
  cpu?: string
  bin?: Record<string, string>
}

const root = resolve(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const manifest = JSON.parse(read('package.json'))
const locked: Record<string, Package> = JSON.parse(read('package-lock.json')).packages

/** Packages whose install scripts were reviewed: nothing is missing if they aren't run. */
const LOOKED_AT = {
  // Copies a built module to where it is looked up first; it is also found in its original place.
  '@github/keytar': false,
  // Chooses an archiver for a kind of installer that we don't build.
  'electron-winstaller': false,
  // Has no script, but a binding.gyp, from which npm makes one.
  'better-sqlite3-multiple-ciphers': false,
  // Checks whether a prebuilt binary for this system exists; we use only the prebuilt ones.
  'native-reg': false
}

test('npm runs no package’s scripts, not even one derived from a binding.gyp', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m)
  expect(manifest.allowScripts).toEqual(LOOKED_AT)
})

test('every package with an install script has been reviewed', () => {
  const scripted = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript)
  expect(scripted.map(([path]) => path)).toEqual([
    'node_modules/electron-winstaller',
    'node_modules/keytar',
    'node_modules/native-reg'
  ])
})

test('no command depends on a pre- or post-script run by npm', () => {
  const hooks = /^(pre|post)|^(install|prepare|dependencies)$/
  expect(Object.keys(manifest.scripts).filter((name) => hooks.test(name))).toEqual([])
})

test.each(['linux', 'darwin', 'win32'])('the native packages contain prebuilt files for %s', (platform) => {
  for (const arch of ['x64', 'arm64']) {
    const target = `${platform}-${arch}`
    expect(existsSync(join(root, `node_modules/better-sqlite3-multiple-ciphers/prebuilds/${target}.node`))).toBe(true)
    expect(existsSync(join(root, `node_modules/keytar/prebuilds/${target}/keytar.node`))).toBe(true)
    const registry = join(root, `node_modules/native-reg/prebuilds/${target}/node.napi.node`)
    expect(existsSync(registry)).toBe(platform === 'win32')
  }
})

test('the Node for scripts and tests is a package for each system', () => {
  const systems = Object.keys(manifest.optionalDependencies).map((name) => {
    const { version = '', os, cpu, bin } = locked[`node_modules/${name}`] ?? {}
    expect(version).toBe(manifest.optionalDependencies[name])
    // import.meta.main is available from 24.2.
    const [major = 0, minor = 0] = version.split('.').map(Number)
    expect(major * 100 + minor).toBeGreaterThanOrEqual(2402)
    expect(bin).toHaveProperty('node')
    return `${os} ${cpu}`
  })
  expect(systems.sort()).toEqual(['darwin arm64', 'darwin x64', 'linux arm64', 'linux x64', 'win32 x64'])
})

test.each([
  'start',
  'demo',
  'bench',
  'chaos',
  'test',
  'test:full',
  'test:electron',
  'test:packed',
  'package',
  'release'
])('npm run %s first finds that Node', (name) => expect(manifest.scripts[name]).toMatch(/^npm run -s own-node && /))

test('npm’s commands find that Node first even if npm did not link it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-own-node-'))
  try {
    const isWindows = process.platform === 'win32'
    mkdirSync(join(folder, 'node_modules/node-of-here/bin'), { recursive: true })
    cpSync(process.execPath, join(folder, 'node_modules/node-of-here/bin', isWindows ? 'node.exe' : 'node'))
    const optionalDependencies = { 'node-of-elsewhere': '1', 'node-of-here': '1' }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ optionalDependencies }))
    const find = () => execFileSync(process.execPath, [join(root, 'scripts/own-node.mjs')], { cwd: folder })
    const found = join(folder, 'node_modules/.bin', isWindows ? 'node.cmd' : 'node')
    find()
    const version = execFileSync(found, ['--version'], { encoding: 'utf8', shell: isWindows })
    expect(version.trim()).toBe(process.version)
    // Run again, with nothing in its way.
    find()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
