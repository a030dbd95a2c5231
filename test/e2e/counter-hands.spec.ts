/**
 * What a signing page is given by hand: a file that staff opened for the signer, and a signature by pen beside a
 * resting palm.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clerk, MERE, sign } from './clerk.ts'
import { expect, test } from './office.ts'
import { PIN } from './person.ts'
import { auditOf, formsFor, send } from './sending.ts'

/** Sends a browser command about the signing page, over the debugger session that holds it. */
function debug({ app }: Clerk, method: string, params: object): Promise<unknown> {
  return app.evaluate(
    async ({ webContents }, { method, params }) => {
      const signing = webContents.getAllWebContents().find((contents) => contents.getURL().includes('/sign/'))
      await signing?.debugger.sendCommand(method, params)
    },
    { method, params }
  )
}

test('a file that staff opened for the signer reaches the page, and is deleted when it closes', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window, person } = clerk
  const theirs = await mkdtemp(join(tmpdir(), 'parata-'))
  await writeFile(join(theirs, 'passport.pdf'), 'the passport')
  await send(clerk, formsFor(['Medical records'], [MERE]))
  await window.evaluate(async (pin) => {
    const { counter } = globalThis.window.countersign
    await counter.setPin({ pin })
    await counter.openSettings({ pin })
    await counter.configure({ mayGiveFiles: true })
  }, PIN)
  const page = await clerk.handOver(MERE, 'Medical records')
  await page.getByTestId('file').click()
  await expect(person.heading('The page asks for a file')).toBeVisible()
  await person.button('Staff').click()
  await person.unlock()
  await app.dialog.answerOpen([theirs])
  await person.button('Open a folder…').click()
  await window.getByRole('radio', { name: /passport\.pdf/ }).check()
  await person.button('Give this file').click()
  await expect.poll(async () => (await app.views()).length).toBe(1)
  await rm(theirs, { recursive: true })
  const givenFile = () =>
    page
      .getByTestId('file')
      .evaluate(async (input: HTMLInputElement) => [input.files?.[0]?.name, await input.files?.[0]?.text()])
  expect(await givenFile()).toEqual(['passport.pdf', 'the passport'])
  await sign(page, MERE)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
  const { entries } = await auditOf(clerk)
  expect(entries.find(({ what }) => what === 'file-given')?.detail).toMatchObject({
    file: 'passport.pdf',
    bytes: '12'
  })
  expect(JSON.stringify(entries)).not.toContain('parata-')
})

test('a signature is drawn by the pen, with pressure, ignoring the palm', { tag: '@full' }, async ({ clerk }) => {
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const page = await clerk.handOver(MERE, 'Deed of gift')
  await page.getByTestId('signature-drawn').check()
  const pad = page.getByTestId('signature-pad')
  await pad.scrollIntoViewIfNeeded()
  const events = await pad.evaluateHandle((canvas: HTMLCanvasElement) => {
    const all: { type: string; kind: string; pressure: number }[] = []
    for (const kind of ['pointerdown', 'pointermove'] as const)
      canvas.addEventListener(kind, ({ pointerType, pressure }) => all.push({ type: pointerType, kind, pressure }))
    return all
  })
  /** Returns whether anything is drawn in the left and in the right half of the pad. */
  const drawn = () =>
    pad.evaluate((canvas: HTMLCanvasElement) => {
      const context = canvas.getContext('2d')
      const half = Math.floor(canvas.width / 2)
      return [0, half].map((left) => context?.getImageData(left, 0, half, canvas.height).data.some((part) => part > 0))
    })
  const box = await pad.boundingBox()
  if (!box) throw new Error('There is no pad.')
  const at = (x: number, y: number) => ({ x: box.x + box.width * x, y: box.y + box.height * y })
  const pen = (type: string, x: number, force: number) =>
    debug(clerk, 'Input.dispatchMouseEvent', {
      type,
      ...at(x, 0.5),
      pointerType: 'pen',
      force,
      tiltX: 20,
      button: 'left',
      clickCount: 1,
      buttons: type === 'mouseReleased' ? 0 : 1
    })
  const palm = (type: string, ...xs: number[]) =>
    debug(clerk, 'Input.dispatchTouchEvent', {
      type,
      touchPoints: xs.map((x) => ({ ...at(x, 0.8), radiusX: 40, radiusY: 60 }))
    })

  // The palm comes first, as hands do; its mark disappears when the pen comes.
  await palm('touchStart', 0.8)
  await palm('touchMove', 0.82)
  expect(await drawn()).toEqual([false, true])
  await pen('mousePressed', 0.1, 0.3)
  for (const [x, force] of [
    [0.15, 0.5],
    [0.2, 0.9],
    [0.3, 0.6]
  ] as const)
    await pen('mouseMoved', x, force)
  await palm('touchMove', 0.9)
  await pen('mouseReleased', 0.3, 0)
  await palm('touchEnd')
  expect(await drawn()).toEqual([true, false])
  // A palm that comes down later draws nothing either.
  await palm('touchStart', 0.7)
  await palm('touchMove', 0.75)
  await palm('touchEnd')
  expect(await drawn()).toEqual([true, false])
  const pressures = (await events.jsonValue()).filter(({ type }) => type === 'pen').map(({ pressure }) => pressure)
  expect(pressures.map((pressure) => Math.round(pressure * 10) / 10)).toEqual([0.3, 0.5, 0.9, 0.6])
  expect((await events.jsonValue()).some(({ type }) => type === 'touch')).toBe(true)
})
