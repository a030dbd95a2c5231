// The output of `npm run package`, packed with a stand-in for Electron's runtime: what it contains for each system, and
// what it doesn't.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, join, resolve } from 'node:path'
import {
  type Arch,
  Arch as Archs,
  build,
  type Configuration,
  Platform,
  type PlatformSpecificBuildOptions
} from 'electron-builder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesIn, fusesOf, type PackedFile } from '../../scripts/packed.ts'
import { makeIconsTool, makeStandIn } from './stand-in.ts'

const root = resolve(import.meta.dirname, '../..')
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'countersign-packing-'))
  process.env.ELECTRON_BUILDER_ICONS_TOOLSET_DIR = makeIconsTool(join(scratch, 'icons'))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

interface Packed {
  /** The folder with the program. */
  folder: string
  resources: string
  ofElectron: readonly string[]
  files: PackedFile[]
  /** The options that electron-builder resolved for this system. */
  options: PlatformSpecificBuildOptions
  /** For Linux only: each package's build options, its desktop entry, and the file that declares its file types. */
  packages: { target: string; options: readonly string[]; desktopEntry: string; fileTypes: string }[]
}

async function pack(name: 'linux' | 'win32' | 'darwin', arch: Arch, targets: string[]): Promise<Packed> {
  const platform = { linux: Platform.LINUX, win32: Platform.WINDOWS, darwin: Platform.MAC }[name]
  const electronDist = join(scratch, `electron-${name}`)
  const output = join(scratch, `dist-${name}-${Archs[arch]}`)
  const ofElectron = makeStandIn(electronDist, name)
  const packages: Packed['packages'] = []
  const taken: PlatformSpecificBuildOptions = {}
  const config: Configuration = {
    electronDist,
    directories: { output },
    afterPack: async ({ packager }) => void Object.assign(taken, packager.platformSpecificBuildOptions)
  }
  await build({
    projectDir: root,
    targets: platform.createTarget(targets, arch),
    // A stand-in can't be signed.
    config: { ...config, ...(name === 'darwin' && { mac: { identity: null } }) },
    publish: 'never',
    // Replaces the programs that write a deb or an rpm, which would have to be downloaded.
    effectiveOptionComputed: async ([options, desktopEntry]: [string[], string]) => {
      const target = String(options[options.indexOf('--package') + 1]).replace(/^.*\./, '')
      const [types] = options.flatMap(
        (each) => /^(.*)=\/usr\/share\/mime\/packages\/countersign\.xml$/.exec(each)?.[1] ?? []
      )
      // Both files are removed once it has packed.
      const read = (path: string) => readFileSync(path, 'utf8')
      packages.push({ target, options, desktopEntry: read(desktopEntry), fileTypes: types ? read(types) : '' })
      return true
    }
  })
  const inside = readdirSync(output).find((each) => statSync(join(output, each)).isDirectory() && !each.startsWith('.'))
  const folder = join(output, inside ?? '')
  const resources = join(folder, name === 'darwin' ? 'Countersign.app/Contents/Resources' : 'resources')
  return { folder, resources, ofElectron, files: filesIn(join(resources, 'app.asar')), packages, options: taken }
}

/**
 * Returns the stored list: each file, but only the kinds of files for packages, the bundler's chunks (which it names
 * after whatever it happens to put in each) and pdf.js's tables.
 */
function contentsOf({ folder, ofElectron, files }: Packed): string {
  const ownFiles = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) =>
      join(each.parentPath, each.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/')
    )
    .filter((path) => !ofElectron.includes(path))
  const kinds = new Map<string, Set<string>>()
  const inside = files.flatMap(({ path, isUnpacked }) => {
    const place = `app.asar${isUnpacked ? ' beside it' : ''}: `
    const summed =
      /^(node_modules\/(?:@[^/]+\/)?[^/]+|out\/main\/chunks|out\/renderer\/(?:assets|pdfjs\/[^/]+))\/(?!prebuilds)(.*)$/.exec(
        path
      )
    if (!summed?.[1] || isUnpacked) return [place + path.replace(/^(out\/.*)-[\w-]{8}(\.(?:js|mjs|css))$/, '$1-HASH$2')]
    const group = kinds.get(summed[1]) ?? new Set()
    kinds.set(summed[1], group.add(extname(path) || (path.split('/').at(-1) ?? '')))
    return []
  })
  const groups = [...kinds].map(([of, group]) => `app.asar: ${of}: ${[...group].sort().join(' ')}`)
  return `${[...ownFiles, ...inside, ...groups].sort().join('\n')}\n`
}

const FUSES = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false
}

const nativesOf = ({ files }: Packed) => files.filter(({ path }) => path.endsWith('.node')).map(({ path }) => path)

/** Checks that only what the system loads from real files is outside the archive, which its hash covers. */
function expectOnlyNativesBeside(packed: Packed): void {
  expect(packed.files.filter(({ isUnpacked }) => isUnpacked).map(({ path }) => path)).toEqual(nativesOf(packed))
}

/** Runs the packed code as it is, on the Chromium host. */
function run(
  { resources }: Packed,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {}
): Promise<{ code: unknown; output: string }> {
  const register = join(root, 'test/host/register.ts')
  const { promise, resolve: ended } = Promise.withResolvers<{ code: unknown; output: string }>()
  execFile(
    process.execPath,
    ['--import', register, join(scratch, 'unpacked/out/main/index.js'), ...args],
    { cwd: root, env: { ...process.env, ...env, COUNTERSIGN_HOST_PACKAGED: resources } },
    (error, stdout, stderr) => ended({ code: error?.code ?? 0, output: stdout + stderr })
  )
  return promise
}

describe('for Linux', () => {
  let packed: Packed
  beforeAll(async () => {
    packed = await pack('linux', Archs.x64, ['deb', 'rpm'])
    for (const { path, bytes } of packed.files) {
      await mkdir(dirname(join(scratch, 'unpacked', path)), { recursive: true })
      await writeFile(join(scratch, 'unpacked', path), bytes())
    }
  })

  it('contains what the stored list says', () =>
    expect(contentsOf(packed)).toMatchFileSnapshot(join(import.meta.dirname, 'packed-for-linux.txt')))

  it('has a bill of materials with version, licence and hash of each package', () => {
    const list = JSON.parse(readFileSync(join(packed.resources, 'sbom.cdx.json'), 'utf8'))
    expect(list).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { purl: 'pkg:npm/countersign@0.1.0' } }
    })
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const listed = new Map(
      (list.components as { purl: string; hashes?: unknown; licenses?: unknown }[]).map((one) => [one.purl, one])
    )
    for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
      const [, path = name, at = version] = /^npm:(.+)@(.+)$/.exec(version) ?? []
      const component = listed.get(`pkg:npm/${path.replace('@', '%40')}@${at}`)
      expect(component, name).toMatchObject({ hashes: [{ alg: 'SHA-512' }], licenses: [expect.anything()] })
    }
  })

  it('has the licences of everything bundled', () => {
    for (const path of ['out/main/licences.md', 'out/renderer/licences.md'])
      expect(
        packed.files.some((file) => file.path === path),
        path
      ).toBe(true)
  })

  it('has only this system’s native files, and nothing else outside its archive', () => {
    expectOnlyNativesBeside(packed)
    const size = packed.files.reduce((sum, { isUnpacked, bytes }) => sum + (isUnpacked ? bytes().length : 0), 0)
    expect(size).toBeLessThan(3.2 * 2 ** 20)
  })

  it('has its fuses set', () => expect(fusesOf(join(packed.folder, 'countersign'))).toEqual(FUSES))

  it('makes a deb and an rpm that name their origin and depend on the keychain', () => {
    expect(packed.packages.map(({ target }) => target)).toEqual(['deb', 'rpm'])
    for (const { options } of packed.packages) {
      expect(options).toEqual(expect.arrayContaining(['--maintainer', 'Countersign <support@example.com>']))
      expect(options).toEqual(expect.arrayContaining(['--url', 'https://countersign.example', '--license', 'MIT']))
    }
    expect(packed.packages[1]?.options).toEqual(expect.arrayContaining(['--depends', 'libsecret']))
  })

  it('has a desktop menu entry that starts it on X11, without switches that disable a safeguard', () => {
    for (const { options, desktopEntry } of packed.packages) {
      expect(desktopEntry).toMatch(/^Exec=\/opt\/Countersign\/countersign --ozone-platform=x11 %U$/m)
      expect(desktopEntry).toMatch(/^Icon=countersign$/m)
      // Electron's name for its windows, and the name of the entry that it reports to the desktop.
      expect(desktopEntry).toMatch(/^StartupWMClass=countersign$/m)
      expect(options.some((each) => each.endsWith('=/usr/share/applications/countersign.desktop'))).toBe(true)
    }
  })

  it('opens draft links and draft files', () => {
    for (const { desktopEntry, fileTypes } of packed.packages) {
      expect(desktopEntry).toMatch(/^MimeType=application\/x-countersign;x-scheme-handler\/countersign;$/m)
      expect(fileTypes).toContain('<glob pattern="*.countersign"/>')
    }
  })

  it.each([
    ['--no-sandbox', {}],
    ['--remote-debugging-port=9222', {}],
    ['--remote-debugging-pipe', {}],
    ['--ignore-certificate-errors', {}],
    ['--ignore-certificate-errors-spki-list=x', {}],
    ['--host-resolver-rules=MAP * 127.0.0.1', {}],
    ['--proxy-server=http://127.0.0.1:8080', {}],
    ['--log-net-log=all.json', {}],
    ['SSLKEYLOGFILE', { SSLKEYLOGFILE: '/nowhere/keys' }]
  ])('refuses to start with %s, reports it, and touches nothing', async (start, env) => {
    const data = await mkdtemp(join(scratch, 'data-'))
    const ended = await run(packed, [`--user-data-dir=${data}`, ...(start.startsWith('--') ? [start] : [])], env)
    expect(ended.output).toContain(`It was started with “${start.replace(/=.*/, '')}”`)
    expect(ended.code).toBe(1)
    expect(readdirSync(data)).toEqual([])
  })

  it('can open everything: database, keychain, threads, its window', async () => {
    const data = await mkdtemp(join(scratch, 'data-'))
    const { code, output } = await run(packed, ['--smoke', `--user-data-dir=${data}`])
    expect(output).toContain('Smoke: everything opened.')
    expect(code).toBe(0)
  })

  it.each([
    ['out/main/documents-worker.js', 'the thread of documents'],
    ['out/main/bulk-worker.js', 'the thread of bulk sending'],
    ['out/main/practice-worker.js', 'the thread of the practice office'],
    ['node_modules/keytar/prebuilds/linux-x64/keytar.node', 'the keychain'],
    ['out/renderer/index.html', 'the window’s page']
  ])('reports it if %s is missing', async (path, named) => {
    const [original, gone] = [join(scratch, 'unpacked', path), join(scratch, 'gone')]
    await rename(original, gone)
    try {
      const data = await mkdtemp(join(scratch, 'data-'))
      const { code, output } = await run(packed, ['--smoke', `--user-data-dir=${data}`])
      expect(output).toContain(`Smoke: ${named} is missing.`)
      expect(code).toBe(1)
    } finally {
      await rename(gone, original)
    }
  })
})

describe('for Windows', () => {
  let packed: Packed
  beforeAll(async () => {
    packed = await pack('win32', Archs.arm64, ['dir'])
  })

  it('has only this system’s native files, and nothing else outside its archive', () => {
    expectOnlyNativesBeside(packed)
    expect(nativesOf(packed)).toEqual([
      'node_modules/better-sqlite3-multiple-ciphers/prebuilds/win32-arm64.node',
      'node_modules/keytar/prebuilds/win32-arm64/keytar.node',
      'node_modules/native-reg/prebuilds/win32-arm64/node.napi.node'
    ])
  })

  it('opens draft links until it is uninstalled', () => {
    const installer = readFileSync(join(root, 'resources/installer.nsh'), 'utf8')
    const [, install, removal] = /customInstall\n(.*?)!macroend.*customUnInstall\n(.*?)!macroend/s.exec(installer) ?? []
    expect(install).toContain(
      `WriteRegStr SHELL_CONTEXT "Software\\Classes\\countersign\\shell\\open\\command" "" '"$INSTDIR\\${'$'}{APP_EXECUTABLE_FILENAME}" "%1"'`
    )
    expect(install).toContain('"Software\\Classes\\countersign" "URL Protocol" ""')
    expect(removal).toContain('DeleteRegKey SHELL_CONTEXT "Software\\Classes\\countersign"')
  })

  it('removes what Electron wrote for notifications when uninstalled', () => {
    const activator = /const TOAST_ACTIVATOR = '(\{[0-9A-F-]{36}\})'/
    const [, id] = activator.exec(readFileSync(join(root, 'src/main/shell/notifications.ts'), 'utf8')) ?? []
    const removal = readFileSync(join(root, 'resources/installer.nsh'), 'utf8')
    expect(removal).toContain(`DeleteRegKey HKCU "Software\\Classes\\CLSID\\${id}"`)
    expect(removal).toMatch(/Delete "\$SMPROGRAMS\\\$\{PRODUCT_NAME\}\.lnk"/)
  })

  it('has its fuses set, and its archive’s hash in its program', () => {
    expect(fusesOf(join(packed.folder, 'Countersign.exe'))).toEqual(FUSES)
    expect(readFileSync(join(packed.folder, 'Countersign.exe')).toString('latin1')).toMatch(
      /"resources\\\\app\.asar","alg":"SHA256","value":"[0-9a-f]{64}"/
    )
  })
})

if (process.platform !== 'win32')
  // On Windows, electron-builder can't pack for macOS.
  describe('for macOS', () => {
    let packed: Packed
    beforeAll(async () => {
      packed = await pack('darwin', Archs.arm64, ['dir'])
    })

    it('has only this system’s native files, and nothing else outside its archive', () => {
      expectOnlyNativesBeside(packed)
      expect(nativesOf(packed)).toEqual([
        'node_modules/better-sqlite3-multiple-ciphers/prebuilds/darwin-arm64.node',
        'node_modules/keytar/prebuilds/darwin-arm64/keytar.node'
      ])
    })

    it('is entitled to JIT compilation, camera and microphone, and nothing else', () => {
      const entitlements = 'resources/entitlements.mac.plist'
      expect(packed.options).toMatchObject({ hardenedRuntime: true, entitlements, entitlementsInherit: entitlements })
      const keys = [...readFileSync(join(root, entitlements), 'utf8').matchAll(/<key>(.*)<\/key>\s*<true\/>/g)]
      expect(keys.map(([, key]) => key)).toEqual([
        'com.apple.security.cs.allow-jit',
        'com.apple.security.device.camera',
        'com.apple.security.device.audio-input'
      ])
    })

    it('is signed ad hoc when packaged, and with a certificate when released', () => {
      const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
      expect(scripts.package).toMatch(/ electron-builder -c.mac.identity=- -c.mac.hardenedRuntime=false$/)
      expect(scripts.release).toMatch(/ electron-builder -c.forceCodeSigning=true$/)
    })

    it('has its fuses set, and its archive’s hash among the signed files', () => {
      const contents = join(packed.resources, '..')
      expect(fusesOf(join(contents, 'Frameworks/Electron Framework.framework/Electron Framework'))).toEqual(FUSES)
      const info = readFileSync(join(contents, 'Info.plist'), 'utf8')
      expect(info).toMatch(/<key>ElectronAsarIntegrity<\/key>\s*<dict>\s*<key>Resources\/app.asar<\/key>/)
      expect(info).toMatch(/<key>NSCameraUsageDescription<\/key>/)
      expect(info).toMatch(/<key>NSMicrophoneUsageDescription<\/key>/)
      expect(info).toMatch(/<key>CFBundleURLSchemes<\/key>\s*<array>\s*<string>countersign<\/string>\s*<\/array>/)
      expect(info).toMatch(/<key>CFBundleTypeExtensions<\/key>\s*<array>\s*<string>countersign<\/string>\s*<\/array>/)
    })
  })
