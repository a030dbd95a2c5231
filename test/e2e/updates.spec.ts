// An update from a real feed, as its administrator and a clerk see it: held back while a package is being sent, then
// installed when they ask for it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openUpdateFeed, packageFor } from '../fixtures/update-feed.ts'
import { connect, isSend, test } from './bad-line.ts'
import { MERE } from './clerk.ts'
import { expect } from './office.ts'

test('an update waits for a send, is offered, and is installed when Countersign restarts', { tag: '@full' }, async ({
  open,
  line,
  userData
}) => {
  const feed = await openUpdateFeed()
  const dpkgLog = join(userData, 'dpkg-said')
  const tools = join(userData, 'tools')
  await mkdir(tools, { recursive: true })
  for (const name of ['dpkg', 'pkexec']) {
    const script = `#!/bin/sh\n[ ${name} = pkexec ] && shift && exec "$@"\necho "$@" >> ${dpkgLog}\n`
    writeFileSync(join(tools, name), script, { mode: 0o755 })
  }
  writeFileSync(join(userData, 'app-update.yml'), 'updaterCacheDirName: updates\n')
  const policy = join(userData, 'policy.json')
  writeFileSync(policy, JSON.stringify({ updates: { feed: feed.address, key: feed.key } }), { mode: 0o644 })
  try {
    const clerk = await open({
      userData,
      args: [`--policy-file=${policy}`, '--package-type=deb'],
      env: { PATH: `${tools}:${process.env.PATH}` }
    })
    const { window, button } = clerk
    await connect(clerk, line)
    line.setFault('swallow-answer', isSend)
    await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
    await clerk.send()
    await expect.poll(() => line.requests.some((one) => one.startsWith('POST') && one.includes('Send'))).toBe(true)

    feed.publish({ version: '9.0.0' })
    await window.evaluate(() => {
      location.hash = '#/settings/updates'
    })
    await button('Check for updates').click()
    await expect(window.getByText('It continues once everything under way is sent.')).toBeVisible()
    expect(feed.requestedPaths).not.toContain(`/updates/${packageFor('9.0.0')}`)

    line.setFault('pass')
    await line.goDown()
    await line.comeBack()
    await expect(window.getByText('Countersign 9.0.0 is ready to install')).toBeVisible()
    expect(existsSync(dpkgLog)).toBe(false)

    await clerk.goTo('Today')
    await window.getByRole('button', { name: 'Restart to update' }).click()
    expect(await clerk.app.ended).toBe(0)
    expect(readFileSync(dpkgLog, 'utf8')).toMatch(/^-i .*countersign-9\.0\.0-linux-amd64\.deb$/m)
  } finally {
    await feed.close()
  }
})

test('an update signed by someone else is refused with a reason, and nothing of it is stored', async ({
  open,
  userData
}) => {
  const [feed, other] = [await openUpdateFeed(), await openUpdateFeed()]
  writeFileSync(join(userData, 'app-update.yml'), 'updaterCacheDirName: updates\n')
  const policy = join(userData, 'policy.json')
  writeFileSync(policy, JSON.stringify({ updates: { feed: other.address, key: feed.key } }), { mode: 0o644 })
  other.publish({ version: '9.0.0' })
  try {
    const clerk = await open({ userData, args: [`--policy-file=${policy}`, '--package-type=deb'] })
    await clerk.choosePracticeOffice()
    await clerk.window.evaluate(() => {
      location.hash = '#/settings/updates'
    })
    await clerk.button('Check for updates').click()
    await expect(
      clerk.window.getByText('The update isn’t signed by its publisher, so it wasn’t downloaded.', { exact: true })
    ).toBeVisible()
    expect(other.requestedPaths).not.toContain(`/updates/${packageFor('9.0.0')}`)
  } finally {
    await feed.close()
    await other.close()
  }
})
