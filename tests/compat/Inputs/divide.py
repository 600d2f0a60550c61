@kernel
def divide(x, y):
    bits = x // y
    return
