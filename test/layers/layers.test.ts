import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { complaint } from './rules.ts'
import { importsOf, root, sources } from './sources.ts'

describe('dependencies point one way', () => {
  test('every import of every source file is allowed', () => {
    const complaints = sources.flatMap((file) => importsOf(file).flatMap((imported) => complaint(file, imported) ?? []))
    expect(complaints).toEqual([])
    expect(sources.length).toBeGreaterThan(50)
  })

  test('the composition root has no top-level await: Electron is ready only once it was evaluated', () => {
    const compositionRoot = sources.filter((file) => /^src\/main\/[^/]+\.ts$/.test(file))
    expect(compositionRoot).toContain('src/main/index.ts')
    for (const file of compositionRoot) {
      const text = readFileSync(join(root, file), 'utf8')
      expect(text.match(/^await\b/gm)).toBeNull()
      expect(text.match(/^if \(.*\) await\b/gm)).toBeNull()
    }
  })

  test.each([
    ['src/main/core/outbox/outbox.ts', 'electron', 'Take what you need as a parameter'],
    ['src/main/ipc/registration.ts', 'electron', 'Take what you need as a parameter'],
    ['src/shared/model/person.ts', 'node:fs', 'it runs in every process'],
    ['src/shared/contract/requests.ts', 'saxes', 'it runs in every process'],
    ['src/shared/composition/xml.ts', 'node:stream', 'it runs in every process'],
    ['src/shared/model/person.ts', 'src/shared/contract/index.ts', 'Let those import the model'],
    ['src/main/core/outbox/outbox.ts', 'src/main/shell/log.ts', 'Define a port'],
    ['src/main/core/outbox/outbox.ts', 'src/practice/service.ts', 'Define a port'],
    ['src/main/core/outbox/outbox.ts', 'src/main/core/bulk/bulk.ts', 'as a port'],
    ['src/main/core/verifications/verification-queue.ts', 'src/main/core/downloads/queue.ts', 'core/jobs'],
    ['src/main/ipc/documents.ts', 'src/main/shell/menu.ts', 'as a parameter'],
    ['src/practice/service.ts', 'src/shared/contract/index.ts', 'like any other service'],
    ['src/practice/service.ts', 'src/main/core/service/client.ts', 'like any other service'],
    ['src/preload/index.ts', 'zod', 'derived from'],
    ['src/renderer/src/App.svelte', 'src/main/core/lib/failure.ts', 'through window.countersign'],
    ['src/renderer/src/App.svelte', 'electron', 'Take what you need'],
    ['src/renderer/src/main.ts', 'node:path', 'through window.countersign'],
    ['src/main/index.ts', 'test/host/app.ts', 'may not depend on tests']
  ])('%s may not import %s', (file, imported, instead) => {
    expect(complaint(file, imported)).toContain(instead)
  })

  test.each([
    ['src/shared/composition/xml.ts', 'saxes'],
    ['src/main/shell/windows.ts', 'electron'],
    ['src/main/index.ts', 'electron'],
    ['src/main/shell/practice-worker.ts', 'src/practice/office.ts'],
    ['src/main/ipc/documents.ts', 'src/main/core/documents/mirror/mirror.ts'],
    ['src/renderer/src/App.svelte', 'src/shared/contract/index.ts'],
    ['src/preload/index.ts', 'electron']
  ])('%s may import %s', (file, imported) => {
    expect(complaint(file, imported)).toBeUndefined()
  })
})
