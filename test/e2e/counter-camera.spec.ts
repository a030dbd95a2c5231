import type { Page } from 'playwright'
import { MERE, type Person, sign } from './clerk.ts'
import { expect, test } from './office.ts'
import { confirmByVideo, startCamera } from './person.ts'
import { auditOf, formsFor, happened, send } from './sending.ts'

const ON_VIDEO: Person = { ...MERE, video: 'may be left out' }
const WITH_DETECTOR: Person = { ...MERE, video: 'with a detector' }
const WITH_QUESTION: Person = { ...MERE, identity: { question: 'Date of birth', answer: '1984-03-09' } }

/** Returns the brightness of what the machine's camera shows at this moment; 0, black, while it shows nothing. */
function brightness(page: Page): Promise<number> {
  return page.getByTestId('camera-live').evaluate((live: HTMLVideoElement) => {
    const canvas = new OffscreenCanvas(live.videoWidth || 1, live.videoHeight || 1)
    const context = canvas.getContext('2d')
    context?.drawImage(live, 0, 0)
    const colours = context?.getImageData(0, 0, canvas.width, canvas.height).data ?? new Uint8ClampedArray()
    // Every fourth value is opacity, which an empty picture has as well.
    return colours.filter((_value, index) => index % 4 !== 3).reduce((sum, value) => sum + value, 0)
  })
}

test('a video confirmation waits, covered, until staff allow the camera with the PIN', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [ON_VIDEO]))
  const page = await clerk.handOver(ON_VIDEO, 'Deed of gift')
  await startCamera(page)
  await expect(person.heading('The page needs the camera')).toBeVisible()
  expect(await app.views()).toEqual([])
  await person.unlock()
  await person.button('Allow camera').click()
  // The person is asked too.
  await expect(person.heading('The page needs the camera')).toBeVisible()
  expect(await app.views()).toEqual([])
  await person.button('Allow').click()
  await expect.poll(async () => (await app.views()).length).toBe(1)
  await expect(page.getByTestId('camera-take')).toBeVisible()
  expect(await brightness(page)).toBeGreaterThan(0)
  await confirmByVideo(page)
  await sign(page, ON_VIDEO)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
  const allowed = (await auditOf(clerk)).entries.find(({ what }) => what === 'camera-allowed')
  expect(allowed?.detail).toMatchObject({ devices: 'camera' })
})

test('consent given at the start applies only to this session', { tag: '@full' }, async ({ clerk }) => {
  const { app, person } = clerk
  await send(clerk, formsFor(['Deed of gift', 'Deed of trust'], [ON_VIDEO]))
  const page = await clerk.handOver(ON_VIDEO, 'Deed of gift', { allowsCamera: true })
  await startCamera(page)
  await person.button('Allow').click()
  await confirmByVideo(page)
  await sign(page, ON_VIDEO)
  await clerk.giveBack()
  await clerk.button('Back to Counter').click()
  await startCamera(await clerk.handOver(ON_VIDEO, 'Deed of trust'))
  await expect(person.heading('The page needs the camera')).toBeVisible()
  expect(await app.views()).toEqual([])
})

test('the person continues without the camera, and signs if the form allows it', { tag: '@full' }, async ({
  clerk
}) => {
  const { window, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [ON_VIDEO]))
  const page = await clerk.handOver(ON_VIDEO, 'Deed of gift')
  await startCamera(page)
  await person.button('Continue without it').click()
  await expect(page.getByTestId('camera-says')).toHaveText('The camera isn’t allowed here.')
  await page.getByTestId('video-without').click()
  await sign(page, ON_VIDEO)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
  expect(await happened(clerk)).toContain('camera-refused')
  await clerk.button('View document').click()
  await expect(window.getByText('The signer opted out of video.')).toBeVisible()
})

test('staff choose a camera by its picture, and the signing page gets it', { tag: '@full' }, async ({ clerk }) => {
  const { window, person, goTo } = clerk
  await send(clerk, formsFor(['Deed of gift'], [ON_VIDEO]))
  await goTo('Settings')
  await window.getByRole('button', { name: 'Choose and test camera…' }).click()
  const live = window.getByLabel('Picture from the camera, mirrored')
  const named = () =>
    live.evaluate((video: HTMLVideoElement) => (video.srcObject as MediaStream).getVideoTracks()[0]?.label)
  await expect(live).toBeVisible()
  expect(await named()).toBe('fake_device_0')
  await window.getByLabel('Camera', { exact: true }).selectOption('fake_device_1')
  await expect.poll(named).toBe('fake_device_1')
  await window.getByRole('button', { name: 'Use this camera' }).click()
  await expect(window.getByText('Pages that ask for video get “fake_device_1”.')).toBeVisible()
  await expect(window.getByRole('dialog')).toHaveCount(0)
  // The camera test is over, and our page may not have another picture.
  const requestCamera = () =>
    navigator.mediaDevices.getUserMedia({ video: true }).then(
      () => 'granted',
      (error) => error.name
    )
  expect(await window.evaluate(requestCamera)).toBe('NotAllowedError')
  const page = await clerk.handOver(ON_VIDEO, 'Deed of gift', { allowsCamera: true })
  await startCamera(page)
  await person.button('Allow').click()
  const got = () =>
    page
      .getByTestId('camera-live')
      .evaluate((video: HTMLVideoElement) => (video.srcObject as MediaStream | null)?.getVideoTracks()[0]?.label)
  await expect.poll(got).toBe('fake_device_1')
  await confirmByVideo(page)
  await sign(page, ON_VIDEO)
  await clerk.giveBack()
  // Two cameras were asked for, and the page got one.
  const { entries } = await auditOf(clerk)
  expect(entries.filter(({ what, detail }) => what === 'camera-allowed' && detail.by === 'page got it')).toHaveLength(1)
})

test('an identity step takes a picture; a form that requires video sends the signer to staff if the camera is refused', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [WITH_QUESTION]))
  await send(clerk, formsFor(['Deed of trust'], [WITH_DETECTOR]))
  const signingPage = await clerk.handOver(WITH_QUESTION, 'Deed of gift', { allowsCamera: true })
  await startCamera(signingPage)
  await person.button('Allow').click()
  await signingPage.getByTestId('camera-take').click()
  await expect(signingPage.getByTestId('camera-still')).toBeVisible()
  await sign(signingPage, WITH_QUESTION)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
  await clerk.button('Back to Counter').click()

  const page = await clerk.handOver(WITH_DETECTOR, 'Deed of trust')
  await startCamera(page)
  await person.unlock()
  await person.button('Don’t allow').click()
  await expect(page.getByTestId('camera-refused')).toContainText('Please ask staff')
  await expect(page.getByTestId('video-without')).toHaveCount(0)
  await person.button('Staff').click()
  await person.unlock()
  await person.button('End session').click()
  await expect(window.getByRole('heading', { name: 'Mere Tamati hasn’t signed yet' })).toBeVisible()
})
