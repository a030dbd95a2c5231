// The application's log after the console is gone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** Reports that it runs, and once nobody reads its output, logs some lines with time for each to fail. */
const APPLICATION = `
  import { setTimeout as pause } from 'node:timers/promises'
  import { logUncaught, openLog } from './src/main/shell/log.ts'
  const log = openLog()
  logUncaught(log)
  log.info('It is there.')
  process.stdin.resume().once('end', async () => {
    for (const line of ['one', 'two', 'three', 'four']) {
      log.error('Line ' + line)
      await pause(50)
    }
    process.exit()
  })`

test('after its terminal was closed, the log goes on in its file without endless complaints', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const script = ['--import', './test/host/register.ts', '--input-type=module', '--eval', APPLICATION]
  const child = spawn(process.execPath, [...script, '--', `--user-data-dir=${folder}`], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.destroy()
    await once(pipe, 'close')
  }
  child.stdin.end()
  await once(child, 'exit')
  const lines = (await readFile(join(folder, 'logs', 'countersign.log'), 'utf8')).trim().split('\n')
  expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    '[info]  It is there.',
    ...['one', 'two', 'three', 'four'].map((line) => `[error] Line ${line}`)
  ])
})
