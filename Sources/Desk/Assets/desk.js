// The desk works without this script. It adds times by the reader's clock, and the key of a link.
(() => {
  localTimes(document);
  // A link or a QR code fills the key in. Browsers send this part of an address to no server.
  const fillInKey = () => {
    const { hash } = location;
    if (!hash.startsWith('#key=')) return;
    history.replaceState(null, '', location.pathname + location.search);
    const key = document.querySelector('.login #key');
    if (!key) return;
    try { key.value = decodeURIComponent(hash.slice(5)); } catch { return; }
    document.getElementById('name').focus();
  };
  fillInKey();
  addEventListener('hashchange', fillInKey);
})();
