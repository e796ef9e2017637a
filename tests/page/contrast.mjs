/**
 * Runs in the page: the texts whose contrast is below WCAG 2.2's level AA, 4.5 to 1, or 3 to 1 for
 * large ones (24 px, or bold from 18.66 px).
 */
export function contrastFaults() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  // Any notation of a colour, as red, green, blue and opacity.
  const parse = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (front, back) => front.slice(0, 3).map(
    (channel, index) => channel * front[3] + back[index] * (1 - front[3]));
  const luminance = (color) => {
    const [red, green, blue] = color.map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backOf = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      layers.push(parse(getComputedStyle(at).backgroundColor));
    }
    return layers.reverse().reduce((back, layer) => over(layer, back), [255, 255, 255]);
  };
  const faults = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const back = backOf(element);
    const [one, other] = [over(parse(style.color), back), back].map(luminance);
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      faults.add(`${element.className || element.tagName}: ${ratio.toFixed(2)}`);
    }
  }
  return [...faults];
}
